//! The part of the door that is HTTP/1's.

use osprey_model::Headers;

use super::head;

/// A head, as far as the targets look at it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Head {
    /// The status code.
    pub status: u16,
    /// Header lines.
    pub headers: Headers,
    /// Bytes up to the body.
    pub length: usize,
    /// How the body is framed, in words.
    pub framing: String,
}

/// Reads the head that `bytes` begin with; `None` if it is not all there.
pub fn head(bytes: &[u8], max_lines: usize) -> Option<Result<Head, String>> {
    let end = head::end(bytes, 0, 0)?;
    Some(read(bytes, end, max_lines))
}

/// The same, as it comes from a connection in pieces of `step` bytes.
pub fn head_in_pieces(bytes: &[u8], step: usize, max_lines: usize) -> Option<Result<Head, String>> {
    let mut searched = 0;
    let mut length = 0;
    while length < bytes.len() {
        length = bytes.len().min(length + step.max(1));
        let buffer = bytes.get(..length)?;
        if let Some(end) = head::end(buffer, 0, searched) {
            return Some(read(buffer, end, max_lines));
        }
        searched = buffer.len().saturating_sub(3);
    }
    None
}

fn read(buffer: &[u8], end: usize, max_lines: usize) -> Result<Head, String> {
    let head = head::parse(buffer.get(..end).unwrap_or(buffer), max_lines).map_err(|fault| fault.message)?;
    assert!(head.length <= end, "beyond the end of the head");
    let framing = format!("{:?} {}", head.framing, head.keep_alive);
    Ok(Head { status: head.status, headers: head.headers, length: head.length, framing })
}
