//! One gzip member per record: what makes a WARC file seekable.
//!
//! The compressor's state (some 300 KB) is made once and reset per member; headers carry no name and no time,
//! so equal records give equal bytes.

use flate2::{Compress, Compression, FlushCompress, Status};

/// Writes gzip members, one after the other.
#[derive(Debug)]
pub(crate) struct Gzip(Compress);

/// Room asked for at a time while a member grows.
const STEP: usize = 32 * 1024;

impl Gzip {
    pub(crate) fn new(level: u32) -> Self {
        Self(Compress::new_gzip(Compression::new(level.min(9)), 15))
    }

    /// Appends one member that holds `parts` to `out`. Returns its length.
    pub(crate) fn member(&mut self, parts: &[&[u8]], out: &mut Vec<u8>) -> Result<u64, flate2::CompressError> {
        self.0.reset();
        let before = out.len();
        for part in parts {
            let start = self.0.total_in();
            loop {
                let done = usize::try_from(self.0.total_in() - start).unwrap_or(usize::MAX);
                let Some(rest) = part.get(done..).filter(|rest| !rest.is_empty()) else { break };
                make_room(out);
                self.0.compress_vec(rest, out, FlushCompress::None)?;
            }
        }
        loop {
            make_room(out);
            if self.0.compress_vec(&[], out, FlushCompress::Finish)? == Status::StreamEnd {
                return Ok((out.len() - before) as u64);
            }
        }
    }
}

fn make_room(out: &mut Vec<u8>) {
    if out.capacity() - out.len() < STEP / 4 {
        out.reserve(STEP);
    }
}

#[cfg(test)]
mod tests {
    use std::io::Read;

    use super::*;

    #[test]
    fn members_follow_each_other_and_repeat_exactly() {
        let mut gzip = Gzip::new(3);
        let big: Vec<u8> = (0_u32..200_000).flat_map(|n| (n.wrapping_mul(2_654_435_761)).to_le_bytes()).collect();
        let mut out = Vec::new();
        let first = gzip.member(&[b"head", b"", &big], &mut out).unwrap();
        let second = gzip.member(&[b"tail"], &mut out).unwrap();
        assert_eq!(out.len() as u64, first + second);
        let mut plain = Vec::new();
        flate2::read::MultiGzDecoder::new(&out[..]).read_to_end(&mut plain).unwrap();
        assert_eq!(plain, [b"head", &big[..], b"tail"].concat());

        let mut again = Vec::new();
        gzip.member(&[b"head", b"", &big], &mut again).unwrap();
        assert_eq!(again, out[..again.len()]);
    }
}
