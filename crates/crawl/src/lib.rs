//! The loop: lease, fetch, parse_response, judge, steer, archive, commit; budgets, back-pressure, shutdown.
//!
//! One owner holds frontier, archive and policy ([`Crawl`]); it gives work to fetchers and page workers, which report
//! back. [`run_steps`] does one page at a time and repeats exactly; [`run_live`] keeps many requests in flight. Both see a
//! [`osprey_model::Source`] and cannot tell the Web from a recording. This crate opens no sockets.
//!
//! A visit is one atomic commit: the crawl archives the response and its metadata first, then commits the visit row, new
//! links, group moves, counts and (from time to time) the policy's state, all or nothing. The archive is the log:
//! [`History`] reads from it alone what a crawl did, also while it runs.

mod absorb;
mod admission;
mod admit;
mod adopt;
mod ask;
mod clock;
mod clocks;
mod compact;
mod content;
mod cores;
mod crawl;
mod duplicates;
mod flight;
mod format;
mod harvest;
mod history;
mod idle;
mod inspect;
mod ledger;
mod links;
mod metadata;
mod on_demand;
mod open;
mod pace;
mod parse;
mod pictures;
mod records;
mod rejudge;
mod restore;
mod revisit;
mod robots;
mod rows;
mod run;
mod settings;
mod shares;
mod skip;
mod start;
mod steering;
mod tally;
mod traps;
mod verdicts;
mod verify;
mod visit;
mod wants;
mod work;

pub use clock::{StepClock, SystemClock};
pub use clocks::{Owed, SharedClocks, SharedTurn};
pub use cores::on_all_cores;
pub use crawl::{
    Crawl, CrawlError, Next, Outcome, Progress, Report, SAMPLE_ROUNDS, Stop, Task, visits_for_pages,
};
pub use format::complete_archive;
pub use harvest::Outlook;
pub use history::{Cursor, Event, EventInfo, History, PassedOver};
pub use idle::Idle;
pub use inspect::{Inspection, Standing};
pub use metadata::EventKind;
pub use on_demand::{OnDemand, Supply, settings_on_demand};
pub use parse::{ParsedResponse, ReadPage, Reader, parse_response};
pub use pictures::{PictureRow, PictureRules, PictureTally, PicturesOf, pictures_of};
pub use records::stored_records;
pub use rejudge::{Rejudged, Rejudging};
pub use restore::{Restored, restore};
pub use revisit::{ChangeHistory, RevisitOutcome, RevisitTally, Revisits};
pub use robots::RobotsTask;
pub use run::{Ask, Halt, Stepwise, Watch, run_live, run_steps};
pub use settings::{Budget, Settings, TrapRules};
pub use skip::Skip;
pub use start::StartFailure;
pub use steering::Steering;
pub use tally::Tally;
pub use traps::ClosedPattern;
pub use verdicts::Verdicts;
pub use verify::FrontierFaults;
pub use visit::{BlockNote, LinkNote, Told, VisitRow};
pub use wants::PastWant;
pub use work::Work;
