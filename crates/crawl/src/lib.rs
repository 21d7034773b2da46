//! The loop: lease, fetch, parse_response, judge, steer, archive, commit; budgets, back-pressure, shutdown.
//!
//! One owner holds frontier, archive and policy ([`Crawl`]); fetchers and page workers are told what to do by
//! it and report back. [`run_steps`] does one page at a time and repeats exactly; [`run_live`] keeps many in
//! flight. Both see a [`osprey_model::Source`] and can't tell the Web from a recording. No sockets here.
//!
//! A visit is one atomic commit: the answer and what is said of it are archived first, then the visit row, new links,
//! group moves, counts and (now and then) the policy's state land together or not at all. The archive is the log:
//! [`History`] reads from it alone what a crawl did, while it runs, too.

mod absorb;
mod admission;
mod admit;
mod adopt;
mod ask;
mod clock;
mod compact;
mod crawl;
mod duplicates;
mod flight;
mod format;
mod history;
mod idle;
mod inspect;
mod ledger;
mod links;
mod metadata;
mod open;
mod pace;
mod parse;
mod pictures;
mod records;
mod restore;
mod revisit;
mod robots;
mod rows;
mod run;
mod settings;
mod skip;
mod steering;
mod tally;
mod traps;
mod visit;
mod work;

pub use clock::{StepClock, SystemClock};
pub use crawl::{
    Crawl, CrawlError, Next, Outcome, Progress, Report, SAMPLE_ROUNDS, Stop, Task, visits_for_pages,
};
pub use format::complete_archive;
pub use history::{Cursor, Event, EventInfo, History, PassedOver};
pub use idle::Idle;
pub use inspect::{Inspection, Standing};
pub use metadata::EventKind;
pub use parse::{ParsedResponse, ReadPage, Reader, parse_response};
pub use pictures::{PictureRow, PictureRules, PictureTally, PicturesOf, pictures_of};
pub use records::stored_records;
pub use restore::{Restored, restore};
pub use robots::RobotsTask;
pub use run::{Watch, run_live, run_steps};
pub use settings::{Budget, Settings, TrapRules};
pub use skip::Skip;
pub use steering::Steering;
pub use tally::Tally;
pub use traps::Trap;
pub use visit::{BlockNote, LinkNote, Told, VisitRow};
pub use work::Work;
