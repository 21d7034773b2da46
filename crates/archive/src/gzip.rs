//! One gzip member per record: what makes a WARC file seekable.
//!
//! The compressor's state (some 300 KB) is made once and reset per member; headers carry no name and no time,
//! so equal records give equal bytes.

use flate2::{Compress, Compression, FlushCompress, Status};

/// Writes gzip members, one after the other.
#[derive(Debug)]
pub(crate) struct Gzip {
    deflate: Compress,
    /// What the compressor writes to. Not the caller's vector: its spare room would be zeroed for every call.
    scratch: Box<[u8]>,
}

/// Compressed bytes taken over at a time.
const STEP: usize = 32 * 1024;

impl Gzip {
    pub(crate) fn new(level: u32) -> Self {
        let deflate = Compress::new_gzip(Compression::new(level.min(9)), 15);
        Self { deflate, scratch: vec![0; STEP].into() }
    }

    /// Appends one member that holds `parts` to `out`. Returns its length.
    pub(crate) fn member(
        &mut self,
        parts: &[&[u8]],
        out: &mut Vec<u8>,
    ) -> Result<u64, flate2::CompressError> {
        self.deflate.reset();
        for part in parts {
            let mut rest = *part;
            while !rest.is_empty() {
                let (used, _) = self.step(rest, FlushCompress::None, out)?;
                rest = rest.get(used..).unwrap_or_default();
            }
        }
        while self.step(&[], FlushCompress::Finish, out)?.1 != Status::StreamEnd {}
        Ok(self.deflate.total_out())
    }

    /// Compresses some of `input`; returns how much, and whether the member is complete.
    fn step(
        &mut self,
        input: &[u8],
        flush: FlushCompress,
        out: &mut Vec<u8>,
    ) -> Result<(usize, Status), flate2::CompressError> {
        let (read, written) = (self.deflate.total_in(), self.deflate.total_out());
        let status = self.deflate.compress(input, &mut self.scratch, flush)?;
        let written = usize::try_from(self.deflate.total_out() - written).unwrap_or(0);
        out.extend_from_slice(self.scratch.get(..written).unwrap_or_default());
        Ok((usize::try_from(self.deflate.total_in() - read).unwrap_or(0), status))
    }
}

#[cfg(test)]
mod tests {
    use std::io::Read;

    use super::*;

    #[test]
    fn members_follow_each_other_and_repeat_exactly() {
        let mut gzip = Gzip::new(3);
        let big: Vec<u8> =
            (0_u32..200_000).flat_map(|n| (n.wrapping_mul(2_654_435_761)).to_le_bytes()).collect();
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
