//! What happened to a link after it was added: one row per link that was ever leased, moved, rescored, dropped or
//! revived. Opening a frontier reads these rows side by side with the `hot` ones.

use osprey_model::{GroupId, LinkScore, Timestamp};

use crate::codec::{Reader, put_bytes};

/// The state of a link and where it belongs.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Status {
    pub(crate) stage: Stage,
    pub(crate) group: GroupId,
    pub(crate) own: LinkScore,
    /// Number of leases, not counting released ones.
    pub(crate) attempts: u32,
    /// The payloads of the page that placed the link here, if that is not the page that found it first.
    pub(crate) found: Option<FoundOn>,
}

/// The states of a link that the store distinguishes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Stage {
    Waiting,
    /// Waits for its retry time.
    Delayed(Timestamp),
    /// Leased. At opening: the process that leased it has ended.
    Leased,
    Done,
    Failed(u8),
    Dropped(u8),
    Refused(u8),
}

/// Payloads of a link that moved.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct FoundOn {
    pub(crate) block: Vec<u8>,
    pub(crate) payload: Vec<u8>,
}

impl Status {
    pub(crate) fn encode(&self) -> Vec<u8> {
        let (code, reason, at) = match self.stage {
            Stage::Waiting => (0, 0, Timestamp::EPOCH),
            Stage::Delayed(at) => (1, 0, at),
            Stage::Leased => (2, 0, Timestamp::EPOCH),
            Stage::Done => (3, 0, Timestamp::EPOCH),
            Stage::Failed(reason) => (4, reason, Timestamp::EPOCH),
            Stage::Dropped(reason) => (5, reason, Timestamp::EPOCH),
            Stage::Refused(reason) => (6, reason, Timestamp::EPOCH),
        };
        let mut out = Vec::with_capacity(32);
        out.extend_from_slice(&[code, reason]);
        out.extend_from_slice(&self.attempts.to_be_bytes());
        out.extend_from_slice(&self.group.0.to_be_bytes());
        out.extend_from_slice(&self.own.get().to_be_bytes());
        out.extend_from_slice(&at.as_millis().to_be_bytes());
        if let Some(found) = &self.found {
            put_bytes(&mut out, &found.block);
            put_bytes(&mut out, &found.payload);
        }
        out
    }

    pub(crate) fn decode(value: &[u8]) -> Option<Self> {
        let mut reader = Reader::new(value);
        let (code, reason, attempts) = (reader.u8()?, reader.u8()?, reader.u32()?);
        let (group, own) = (GroupId(reader.u64()?), LinkScore::new(reader.f32()?));
        let at = Timestamp::from_millis(reader.i64()?);
        let stage = match code {
            0 => Stage::Waiting,
            1 => Stage::Delayed(at),
            2 => Stage::Leased,
            3 => Stage::Done,
            4 => Stage::Failed(reason),
            5 => Stage::Dropped(reason),
            6 => Stage::Refused(reason),
            _ => return None,
        };
        let found = if reader.is_empty() {
            None
        } else {
            Some(FoundOn { block: reader.bytes()?.to_vec(), payload: reader.bytes()?.to_vec() })
        };
        reader.is_empty().then_some(Self { stage, group, own, attempts, found })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn statuses_come_back() {
        let stages = [
            Stage::Waiting,
            Stage::Delayed(Timestamp::from_millis(-5)),
            Stage::Leased,
            Stage::Done,
            Stage::Failed(255),
            Stage::Dropped(0),
            Stage::Refused(3),
        ];
        for stage in stages {
            for found in [None, Some(FoundOn { block: b"b".to_vec(), payload: Vec::new() })] {
                let status =
                    Status { stage, group: GroupId(u64::MAX), own: LinkScore::new(0.25), attempts: 7, found };
                let value = status.encode();
                assert_eq!(Status::decode(&value), Some(status));
                assert_eq!(Status::decode(&value[..25]), None);
                assert_eq!(Status::decode(&[&value[..], &[0xFF]].concat()), None);
            }
        }
        assert_eq!(Status::decode(&[9; 26]), None);
    }
}
