//! Selects the wanted page types of a learned site, for policies and judges that use page types.

use osprey_page::Page;
use osprey_structure::{Cluster, Site};

use crate::{Known, SteeringConfigError};

/// The clusters that are wanted: those of the examples, or else those that the sitemap marks.
pub(crate) fn wanted_clusters(
    who: &str,
    site: &Site,
    known: &Known,
) -> Result<Vec<bool>, SteeringConfigError> {
    let mut targets = vec![false; site.model().clusters.len()];
    let mut mark = |cluster: Cluster, is: bool| {
        let target = cluster.and_then(|cluster| targets.get_mut(cluster as usize));
        target.map(|target| *target = is).is_some()
    };
    let examples: Vec<&Page> =
        known.examples.iter().filter(|example| example.is_wanted).map(|example| &*example.page).collect();
    if examples.is_empty() {
        let marked = site.sitemap().types.iter().filter(|entry| entry.wanted == Some(true));
        let found = marked.filter(|entry| mark(site.sitemap().joined(Some(entry.cluster)), true)).count();
        return if found > 0 {
            Ok(targets)
        } else {
            Err(SteeringConfigError::new(
                "topic.examples",
                format!(
                    "{who} needs to know what is wanted: give the URL of a page like those, or say `wanted = true` \
                     of a type in the sitemap"
                ),
            ))
        };
    }
    let found = examples.iter().filter(|page| mark(site.read(page).cluster, true)).count();
    if found == 0 {
        let url = examples.first().map(|page| page.url().as_str()).unwrap_or_default();
        return Err(SteeringConfigError::new(
            "topic.examples",
            format!(
                "`{url}` is like no type of page that was learned: give another example, learn from more pages (`osprey \
                 learn DIR --pages N`), or say `wanted = true` of a type in the sitemap"
            ),
        ));
    }
    Ok(targets)
}
