//! The formulas of the methods that the papers compare with: shark-search, OPIC, and a support vector machine.

mod opic;
mod page_model;
mod shark;
mod svm;

pub use opic::{Opic, Origin, PageKey};
pub use page_model::PageModel;
pub use shark::{Shark, SharkScore};
pub use svm::{Svm, SvmError, SvmRules};
