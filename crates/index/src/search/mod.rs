//! wip
pub const MAX_DEPTH: usize = 10000;
pub struct Searcher;
impl Searcher { pub(crate) fn new(_: &crate::index::Index) -> Result<Self, crate::error::IndexError> { Ok(Self) } }

