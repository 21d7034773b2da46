//! The topic as stage one of Zhang & Nasraoui 2009 expands it, in place of the vocabulary that the world really uses: so
//! that both stages are measured together. Stage one is a crawl of its own and does not use the budget, as the sample.

use osprey_engine::{Error, Parts, Project, TagPages};
use osprey_steer::Known;
use osprey_steer::cotag::CoTagRules;
use serde::Deserialize;

use super::Cell;
use super::project::control;

/// What a variant may say.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct StageOneParams {
    /// How many of the topic's tags are given; all if not set.
    given: Option<usize>,
    /// Pages of stage one; none if not set: the given tags are the topic.
    stage_one_pages: u64,
}

/// Puts the topic of stage one into the project, and what stage one has seen of people into what is known. The tags, if
/// they are not those of the world.
pub(super) fn expand(
    cell: &Cell<'_>,
    parts: &mut Parts,
    known: &mut Known,
) -> anyhow::Result<Option<String>> {
    let asked: StageOneParams = cell.variant.with.clone().try_into().unwrap_or_default();
    let Some(given) = asked.given else { return Ok(None) };
    parts.plan.subject.tags.truncate(given.max(1));
    // without a learned site no tag can be read
    let Some(site) = known.site.clone().filter(|_| asked.stage_one_pages > 0) else {
        return Ok(Some(parts.plan.subject.tags.join(", ")));
    };
    let project = Project::assemble(cell.scratch, parts.clone());
    let pages = TagPages::Fetch(asked.stage_one_pages);
    let tags = parts.plan.subject.tags.clone();
    match project.expand_topic(&tags, pages, &CoTagRules::default(), control(cell)) {
        Ok(expanded) => parts.plan.subject.tags = expanded.tags(),
        // no page has the tag, or none has tags: the given ones are the topic
        Err(Error::NotFound(_) | Error::Usage(_)) => {}
        Err(error) => return Err(error.into()),
    }
    known.records = project.stage_one(&site)?.into();
    Ok(Some(parts.plan.subject.tags.join(", ")))
}
