//! Chooses the policy and judge that fit the options of `osprey init`, and says why.

use osprey_steer::PolicyKind;
use osprey_steer::taxonomy::{FindError, Taxonomy};

use super::InitOptions;
use crate::error::{Error, Result};

/// What a new project starts with.
pub(super) struct Choice {
    /// The policy's name.
    pub(super) policy: String,
    /// The judge's kind; none without a topic.
    pub(super) judge: Option<&'static str>,
    /// Why this policy, in a sentence.
    pub(super) why: String,
    /// Tags: those given, and words that are no topic of the taxonomy.
    pub(super) tags: Vec<String>,
    /// A topic of the taxonomy, by its name.
    pub(super) node: Option<String>,
}

impl Choice {
    /// From what was given; a policy that was named is taken.
    pub(super) fn of(args: &InitOptions) -> Result<Self> {
        let mut tags = args.tags.clone();
        let node = match &args.topic {
            Some(topic) => find(args, topic)?.or_else(|| {
                tags.push(topic.clone());
                None
            }),
            None => None,
        };
        let has_sets = !(args.genre.is_empty() && args.content.is_empty());
        let (policy, judge, why) = if node.is_some() && args.genre.is_empty() {
            (
                "fcmrps",
                Some("taxonomy"),
                "fits a topic of a taxonomy: it scores links by page, anchor, URL and link type",
            )
        } else if has_sets && !args.genre.is_empty() {
            ("genre", Some("genre"), "fits genre terms: pages of one kind are often siblings")
        } else if has_sets {
            (
                "shark-search",
                Some("terms"),
                "fits content terms: it follows pages and anchors that contain them",
            )
        } else if !args.examples.is_empty() {
            (
                "source-target",
                Some("cluster"),
                "fits example pages: it finds pages of their kind by the link structure (run `osprey learn` first)",
            )
        } else if !tags.is_empty() {
            (
                "shark-search",
                Some("tags"),
                "fits tags: it follows pages and anchors that contain them (after `osprey learn`, on a site where users \
                 share media, try `profile`)",
            )
        } else {
            ("breadth-first", None, "no topic given")
        };
        let (policy, why) = match &args.policy {
            Some(policy) => (policy.clone(), "as given by --policy".to_owned()),
            None => (policy.to_owned(), why.to_owned()),
        };
        Ok(Self { policy, judge, why, tags, node })
    }

    /// Whether the site has to be learned before it is crawled.
    pub(super) fn needs_learning(&self) -> bool {
        let policy = PolicyKind::named(&self.policy);
        self.judge == Some("cluster") || policy.is_some_and(|policy| policy.needs_site())
    }
}

/// A topic in the taxonomy that was given, or that ships. What is not in the latter is a word like others; what is not in
/// the user's own is a mistake.
fn find(args: &InitOptions, topic: &str) -> Result<Option<String>> {
    let own = match &args.taxonomy {
        None => None,
        Some(path) => {
            let text = std::fs::read_to_string(path)
                .map_err(|cause| Error::Usage(format!("--taxonomy: {}: {cause}", path.display())))?;
            Some(
                Taxonomy::parse(&text)
                    .map_err(|error| Error::Usage(format!("{}: {error}", path.display())))?,
            )
        }
    };
    let taxonomy = own.as_ref().unwrap_or_else(|| Taxonomy::shipped());
    match taxonomy.find(topic) {
        Ok(node) => Ok(Some(taxonomy.topic(node).name.clone())),
        Err(FindError::Unknown { .. }) if own.is_none() => Ok(None),
        Err(error) => Err(Error::Usage(format!("--topic: {error}"))),
    }
}
