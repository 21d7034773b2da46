//! The codings of HTTP bodies, removed within limits: chunks, gzip, deflate, br, zstd.
//!
//! One decoder for the live Web and for recordings of it, so that a recording is a drop-in: the same bytes give the same
//! body, the same end and the same note, whether they come from a socket or from another tool's WARC file. Where two
//! earlier decoders differed, the rule is:
//!
//! - All `Content-Encoding` lines count, in their order; codings of `Transfer-Encoding` other than chunks lie on top.
//! - At most three codings are removed, and all of them or none: with an unknown one among them, or with more, the body is
//!   kept as it came. Half-decoded is neither what was sent nor what was meant.
//! - A body that is not coded although it is declared so (gzip and zstd and zlib begin with a mark; brotli has none and
//!   fails on the first byte) is kept as it came, whole, with a note: proxies and archivers decode and forget the header.
//! - What can be decoded of a damaged body is kept, and its end is [`Damaged`](osprey_model::BodyEnd::Damaged); if nothing
//!   can, it is empty: a damaged gzip stream is not a text.
//! - gzip members and zstd frames may follow each other; what stands behind the last gzip member and is none is ignored,
//!   as by browsers.
//! - Limits: the decoded size; what any stage gives to the next (more is damage, so a bomb in the middle is not decoded to
//!   its end); the number of gzip members; zstd's window (RFC 9659); brotli without its "large window" dialect.
//! - Chunks are strict about sizes and line breaks and bounded in everything else. A body whose last chunk came is whole
//!   for a reader of recordings ([`Chunks::has_all_data`]); a connection waits for the end of the trailers
//!   ([`Chunks::ended`]), because the next answer begins behind them.

mod chunks;
mod content;
mod inflate;
#[cfg(test)]
mod tests;

pub use chunks::Chunks;
pub use content::{Coding, CodingsError, Decoded, codings, decode, is_chunked};
