//! What memory holds for every known link: eight bytes.

use osprey_model::LinkScore;

use crate::status::Stage;

/// The place of a waiting link, or its final state. It packs into eight bytes: own scores are not negative, so a set
/// sign bit marks the states other than waiting.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Slot {
    /// In the heap of its queue.
    Waiting {
        queue: u32,
        own: LinkScore,
    },
    /// A member of its queue, but not in the heap before its retry time.
    Delayed {
        queue: u32,
    },
    Leased,
    Done,
    Failed(u8),
    Dropped(u8),
    Refused(u8),
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct PackedSlot {
    queue: u32,
    code: u32,
}

const NOT_WAITING: u32 = 1 << 31;

impl PackedSlot {
    pub(crate) fn unpack(self) -> Slot {
        let queue = self.queue;
        if self.code & NOT_WAITING == 0 {
            return Slot::Waiting { queue, own: LinkScore::new(f32::from_bits(self.code)) };
        }
        let reason = self.code as u8;
        match (self.code >> 8) as u8 {
            0 => Slot::Delayed { queue },
            1 => Slot::Leased,
            2 => Slot::Done,
            3 => Slot::Failed(reason),
            4 => Slot::Dropped(reason),
            _ => Slot::Refused(reason),
        }
    }
}

impl From<Slot> for PackedSlot {
    fn from(slot: Slot) -> Self {
        let (queue, kind, reason) = match slot {
            Slot::Waiting { queue, own } => return Self { queue, code: own.get().to_bits() },
            Slot::Delayed { queue } => (queue, 0, 0),
            Slot::Leased => (0, 1, 0),
            Slot::Done => (0, 2, 0),
            Slot::Failed(reason) => (0, 3, reason),
            Slot::Dropped(reason) => (0, 4, reason),
            Slot::Refused(reason) => (0, 5, reason),
        };
        Self { queue, code: NOT_WAITING | (kind << 8) | u32::from(reason) }
    }
}

/// The slot of the stages in which a link is in no queue.
pub(crate) fn resting_slot(stage: Stage) -> Option<Slot> {
    match stage {
        Stage::Waiting | Stage::Delayed(_) => None,
        Stage::Leased => Some(Slot::Leased),
        Stage::Done => Some(Slot::Done),
        Stage::Failed(reason) => Some(Slot::Failed(reason)),
        Stage::Dropped(reason) => Some(Slot::Dropped(reason)),
        Stage::Refused(reason) => Some(Slot::Refused(reason)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slots_come_back_from_eight_bytes() {
        assert_eq!(size_of::<PackedSlot>(), 8);
        let slots = [
            Slot::Waiting { queue: u32::MAX, own: LinkScore::ZERO },
            Slot::Waiting { queue: 0, own: LinkScore::new(f32::MAX) },
            Slot::Delayed { queue: 7 },
            Slot::Leased,
            Slot::Done,
            Slot::Failed(255),
            Slot::Dropped(1),
            Slot::Refused(0),
        ];
        for slot in slots {
            assert_eq!(PackedSlot::from(slot).unpack(), slot);
        }
    }
}
