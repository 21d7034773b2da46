//! The chunked framing (RFC 9112, section 7.1), fed piece by piece.

/// The longest line of a chunk's size, its extensions included.
const MAX_SIZE_LINE: u32 = 4096;
/// Bytes of trailer lines, which are read and dropped.
const MAX_TRAILERS: u32 = 64 << 10;

/// Where in the framing the next byte stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    /// Within the hexadecimal digits.
    Size {
        digits: u32,
    },
    /// Behind them, up to the line's end.
    Extension,
    Data,
    /// At the line break behind the data.
    DataEnd,
    /// At the start of a trailer line, or of the empty one that ends everything.
    TrailerStart,
    Trailer,
    Ended,
}

/// A decoder of chunks.
#[derive(Debug)]
pub struct Chunks {
    state: State,
    /// Of the current chunk.
    left: u64,
    /// Bytes of the current size line, or of all trailers.
    line: u32,
}

impl Chunks {
    /// At the start of a body.
    #[expect(clippy::new_without_default, reason = "a default decoder says nothing that `new` does not")]
    pub fn new() -> Self {
        Self { state: State::Size { digits: 0 }, left: 0, line: 0 }
    }

    /// Whether the last chunk has been read; trailers may still come.
    pub fn has_all_data(&self) -> bool {
        matches!(self.state, State::TrailerStart | State::Trailer | State::Ended)
    }

    /// Whether the last chunk and the trailers have been read.
    pub fn ended(&self) -> bool {
        self.state == State::Ended
    }

    /// Reads of `input` what it can, appending at most `room` bytes to `out`; gives the number of bytes used.
    pub fn feed(&mut self, input: &[u8], out: &mut Vec<u8>, room: usize) -> Result<usize, String> {
        let mut used = 0;
        let mut room = room;
        while let Some(&byte) = input.get(used) {
            match self.state {
                State::Ended => break,
                State::Data if room == 0 => break,
                State::Data => {
                    let rest = input.get(used..).unwrap_or_default();
                    let length = rest.len().min(room).min(usize::try_from(self.left).unwrap_or(usize::MAX));
                    out.extend_from_slice(rest.get(..length).unwrap_or_default());
                    used += length;
                    room -= length;
                    self.left -= length as u64;
                    if self.left == 0 {
                        self.state = State::DataEnd;
                    }
                }
                _ => {
                    self.step(byte)?;
                    used += 1;
                }
            }
        }
        Ok(used)
    }

    /// Reads one byte of the framing.
    fn step(&mut self, byte: u8) -> Result<(), String> {
        self.line += 1;
        let is_trailer = matches!(self.state, State::TrailerStart | State::Trailer);
        if self.line > if is_trailer { MAX_TRAILERS } else { MAX_SIZE_LINE } {
            return Err("chunk framing without end".to_owned());
        }
        self.state = match (self.state, byte) {
            (State::Size { digits }, _) if byte.is_ascii_hexdigit() => {
                let digit = char::from(byte).to_digit(16).unwrap_or(0);
                let size = self.left.checked_mul(16).ok_or("chunk size too large")?;
                self.left = size + u64::from(digit);
                State::Size { digits: digits + 1 }
            }
            (State::Size { digits: 0 }, _) => return Err("chunk without a size".to_owned()),
            (State::Size { .. } | State::Extension, b'\n') => self.after_size(),
            (State::Size { .. }, b'\r' | b';' | b' ' | b'\t') | (State::Extension, _) => State::Extension,
            (State::DataEnd, b'\r') => State::DataEnd,
            (State::DataEnd, b'\n') => {
                self.line = 0;
                State::Size { digits: 0 }
            }
            (State::TrailerStart, b'\r') => State::TrailerStart,
            (State::TrailerStart, b'\n') => State::Ended,
            (State::Trailer, b'\n') => State::TrailerStart,
            (State::TrailerStart | State::Trailer, _) => State::Trailer,
            _ => return Err("chunk of another length than announced".to_owned()),
        };
        Ok(())
    }

    fn after_size(&mut self) -> State {
        self.line = 0;
        if self.left == 0 { State::TrailerStart } else { State::Data }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// All of `input` in pieces of `step` bytes: the body, and how it ended.
    fn run(input: &[u8], step: usize, room: usize) -> (Vec<u8>, Result<bool, String>) {
        let mut chunks = Chunks::new();
        let mut out = Vec::new();
        for piece in input.chunks(step) {
            let room = room - out.len();
            match chunks.feed(piece, &mut out, room) {
                Ok(used) if used < piece.len() => break,
                Ok(_) => {}
                Err(words) => return (out, Err(words)),
            }
        }
        (out, Ok(chunks.ended()))
    }

    #[test]
    fn reads_chunks() {
        let check = |input: &str, body: &str, expect: Result<bool, &str>| {
            for step in [1, 2, 3, 1000] {
                let (out, ended) = run(input.as_bytes(), step, 1000);
                assert_eq!(String::from_utf8(out).unwrap(), body, "{input:?} by {step}");
                assert_eq!(ended, expect.map_err(str::to_owned), "{input:?} by {step}");
            }
        };
        check("5\r\nhello\r\n0\r\n\r\n", "hello", Ok(true));
        check("5\nhello\n0\n\n", "hello", Ok(true));
        check("00a;x=\"y\"\r\n0123456789\r\n1 \r\nA\r\n0\r\nX: y\r\n\r\n", "0123456789A", Ok(true));
        check("5\r\nhel", "hel", Ok(false));
        check("5\r\nhello\r\n0\r\n", "hello", Ok(false));
        check("5\r\nhellooo", "hello", Err("chunk of another length than announced"));
        check("\r\n", "", Err("chunk without a size"));
        check("x\r\n", "", Err("chunk without a size"));
        check("-1\r\n", "", Err("chunk without a size"));
        check("11111111111111111\r\n", "", Err("chunk size too large"));
    }

    #[test]
    fn framing_is_bounded() {
        let endless = |start: &str| [start.as_bytes(), &[b'a'; 70_000]].concat();
        assert!(run(&endless("5;"), 1000, 1000).1.is_err());
        assert!(run(&endless("0\r\nA: "), 1000, 1000).1.is_err());
        assert_eq!(run(b"5\r\nhello\r\n0\r\n\r\n", 1000, 3), (b"hel".to_vec(), Ok(false)));
    }

    proptest! {
        #[test]
        fn any_body_in_any_pieces(parts in prop::collection::vec(prop::collection::vec(any::<u8>(), 1..50), 0..9), step in 1usize..40) {
            let mut coded = Vec::new();
            for part in &parts {
                coded.extend(format!("{:x}\r\n", part.len()).bytes());
                coded.extend(part);
                coded.extend(b"\r\n");
            }
            coded.extend(b"0\r\n\r\n");
            prop_assert_eq!(run(&coded, step, 10_000), (parts.concat(), Ok(true)));
        }

        #[test]
        fn never_panics(input in prop::collection::vec(any::<u8>(), 0..300), step in 1usize..40) {
            let (out, _) = run(&input, step, 100);
            prop_assert!(out.len() <= 100);
        }
    }
}
