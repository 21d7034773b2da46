//! One gzip member per record: this makes a WARC file seekable.
//!
//! The compressor's state (some 300 KB) is created once and reset per member. Headers contain no name and no time, so
//! equal records give equal bytes. Short texts are stored uncompressed: resetting and running the compressor costs
//! some 15 µs per member, storing with a checksum less than 1.

use flate2::{Compress, Compression, Crc, FlushCompress, Status};

/// The maximum size of a stored block.
const STORED: usize = u16::MAX as usize;

/// Appends one member that holds `parts` uncompressed to `out`. Returns its length.
pub(crate) fn stored_member(parts: &[&[u8]], out: &mut Vec<u8>) -> u64 {
    let begin = out.len();
    let total: usize = parts.iter().map(|part| part.len()).sum();
    out.reserve(total + 18 + 5 * (total / STORED + 1));
    out.extend_from_slice(&[0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 255]);
    let mut crc = Crc::new();
    // bytes left in the current block, and bytes left in all
    let (mut room, mut left) = (0, total);
    for part in parts {
        crc.update(part);
        let mut rest = *part;
        while !rest.is_empty() {
            if room == 0 {
                room = left.min(STORED);
                left -= room;
                let length = room as u16;
                out.push(u8::from(left == 0));
                out.extend_from_slice(&length.to_le_bytes());
                out.extend_from_slice(&(!length).to_le_bytes());
            }
            let (now, later) = rest.split_at(rest.len().min(room));
            out.extend_from_slice(now);
            (rest, room) = (later, room - now.len());
        }
    }
    if total == 0 {
        out.extend_from_slice(&[1, 0, 0, 255, 255]);
    }
    out.extend_from_slice(&crc.sum().to_le_bytes());
    out.extend_from_slice(&crc.amount().to_le_bytes());
    (out.len() - begin) as u64
}

/// Writes gzip members one after the other.
#[derive(Debug)]
pub(crate) struct Gzip {
    deflate: Compress,
    /// The compressor's output buffer. It is not the caller's vector, whose spare capacity would be zeroed on every
    /// call.
    scratch: Box<[u8]>,
}

/// Number of compressed bytes copied at a time.
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

    /// Compresses part of `input`; returns how much, and whether the member is complete.
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

    #[test]
    fn stored_members_are_gzip() {
        let check = |parts: &[&[u8]]| {
            let mut out = b"before".to_vec();
            let length = stored_member(parts, &mut out);
            assert_eq!(out.len() as u64, 6 + length);
            let mut plain = Vec::new();
            flate2::read::GzDecoder::new(&out[6..]).read_to_end(&mut plain).unwrap();
            assert_eq!(plain, parts.concat());
        };
        let big = vec![7; 3 * STORED];
        check(&[]);
        check(&[b"head", b"", b"tail"]);
        check(&[&big]);
        check(&[b"x", &big, b"y"]);
        check(&[&big[..STORED - 1], b"ab", &big[..STORED - 1]]);
    }
}
