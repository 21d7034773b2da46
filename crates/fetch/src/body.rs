//! Collecting a body, however it is framed: within its limits, and only as far as its type is wanted.
//!
//! What came before something went wrong is kept; the [`Ending`] says what it was.

use osprey_coding::Coding;
use osprey_model::{BodyEnd, MediaType};

use crate::media::{MediaFilter, Verdict};
use crate::patience::{Overdue, Patience, Stage};

/// Where the pieces of a body come from: an HTTP/1 connection or an HTTP/2 stream.
pub(crate) trait Pieces {
    /// Appends the next piece to `out`, of at most `room` bytes (never 0). Does one read.
    async fn more(&mut self, out: &mut Vec<u8>, room: usize) -> Result<Piece, String>;

    /// How many bytes are still to come, as far as the server said.
    fn announced(&self) -> Option<u64>;
}

/// The result of a read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Piece {
    More,
    End,
}

/// How the reading of a body ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Ending {
    /// All of it was read.
    Whole,
    /// There was more than the limit.
    Limit,
    /// The connection broke or the framing was wrong.
    Early(String),
    /// A time limit passed.
    Late(Overdue),
    /// Not of an accepted type.
    NotAccepted(String),
}

impl Ending {
    /// The same in the terms of the model.
    pub(crate) fn kind(&self) -> BodyEnd {
        match self {
            Self::Whole => BodyEnd::Whole,
            Self::Limit => BodyEnd::Limit,
            Self::Early(_) => BodyEnd::Early,
            Self::Late(_) => BodyEnd::Late,
            Self::NotAccepted(_) => BodyEnd::Unwanted,
        }
    }
}

/// What is wanted of a body.
pub(crate) struct Wanted<'a> {
    /// Bytes on the wire.
    pub(crate) max: usize,
    pub(crate) codings: &'a [Coding],
    /// `None`: all types.
    pub(crate) filter: Option<&'a MediaFilter>,
    pub(crate) declared: Option<&'a str>,
}

/// A body, and how it ended.
pub(crate) struct Collected {
    pub(crate) bytes: Vec<u8>,
    pub(crate) ending: Ending,
}

/// The most that is allocated on a server's word alone.
const MAX_PRESIZE: u64 = 256 << 10;
/// How much of an unwanted body is read at most.
const MAX_PASSED: u64 = 32 << 10;
/// Room that a read is worth its system call for.
const LEAST_READ: usize = 2048;

/// Reads a body to its end, or to where it is not wanted any more.
pub(crate) async fn collect(
    pieces: &mut impl Pieces,
    wanted: &Wanted<'_>,
    patience: &mut Patience<'_>,
) -> Collected {
    let mut bytes = Vec::new();
    let mut sniffing = false;
    if let Some(filter) = wanted.filter {
        match filter.judge(wanted.declared) {
            Verdict::Read => {}
            Verdict::Sniff => sniffing = true,
            Verdict::Refuse(essence) => return refuse(essence, pieces, patience).await,
        }
    }
    if let Some(announced) = pieces.announced() {
        let announced = announced.min(wanted.max as u64).min(MAX_PRESIZE);
        // One byte more than announced: a read that does not fill the buffer tells that nothing is left.
        bytes.reserve_exact(usize::try_from(announced).unwrap_or(0) + 1);
    }
    loop {
        patience.enter(Stage::Idle);
        patience.received(bytes.len());
        let room = wanted.max.saturating_add(1) - bytes.len();
        let piece = match patience.wait(pieces.more(&mut bytes, room)).await {
            Ok(Ok(piece)) => piece,
            Ok(Err(words)) => return Collected { bytes, ending: Ending::Early(words) },
            Err(overdue) => return Collected { bytes, ending: Ending::Late(overdue) },
        };
        if sniffing && (piece == Piece::End || bytes.len() >= MediaType::SNIFF_BYTES) {
            sniffing = false;
            if let Verdict::Refuse(essence) = judge_prefix(wanted, &bytes) {
                return refuse(essence, pieces, patience).await;
            }
        }
        if bytes.len() > wanted.max {
            bytes.truncate(wanted.max);
            return Collected { bytes, ending: Ending::Limit };
        }
        if piece == Piece::End {
            return Collected { bytes, ending: Ending::Whole };
        }
    }
}

/// Leaves a body unread. A small one is read past: that costs less than another connection.
async fn refuse(essence: String, pieces: &mut impl Pieces, patience: &mut Patience<'_>) -> Collected {
    if pieces.announced().is_some_and(|left| left <= MAX_PASSED) {
        let mut passed = Vec::new();
        patience.enter(Stage::Idle);
        let reading = async {
            while let Ok(Piece::More) = pieces.more(&mut passed, MAX_PASSED as usize).await {
                passed.clear();
            }
        };
        // Whether it came to its end, the connection itself knows.
        let _ = patience.wait(reading).await;
    }
    Collected { bytes: Vec::new(), ending: Ending::NotAccepted(essence) }
}

fn judge_prefix(wanted: &Wanted<'_>, bytes: &[u8]) -> Verdict {
    let Some(filter) = wanted.filter else { return Verdict::Read };
    if wanted.codings.is_empty() {
        return filter.judge_prefix(wanted.declared, bytes);
    }
    let decoded = osprey_coding::decode(wanted.codings, bytes, MediaType::SNIFF_BYTES);
    filter.judge_prefix(wanted.declared, &decoded.body)
}

/// Makes room in `out` for a read of at most `room` bytes.
pub(crate) fn make_room(out: &mut Vec<u8>, room: usize) {
    if out.capacity() - out.len() < room.min(LEAST_READ) {
        out.reserve(out.len().clamp(16 << 10, 1 << 20).min(room));
    }
}
