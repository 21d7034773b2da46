//! What canonicalisation may change, and which query parameters it drops.
//!
//! The default list is cautious: it contains only names that mean a session or a campaign on every site. `sid`,
//! `ref`, `source` and `session` are not in it, because on many sites they select content. If a forum has its session
//! in `sid` (phpBB), add it to the project's configuration.

/// Session parameters: one per visitor, never part of the resource.
const SESSIONS: [&str; 5] = ["jsessionid", "phpsessid", "aspsessionid*", "cfid", "cftoken"];

/// Tracking parameters, which campaigns, mail senders and advertisers add to links.
const TRACKING: [&str; 22] = [
    "utm_*",
    "gclid",
    "gclsrc",
    "dclid",
    "gbraid",
    "wbraid",
    "fbclid",
    "msclkid",
    "yclid",
    "ysclid",
    "twclid",
    "ttclid",
    "igshid",
    "mc_cid",
    "mc_eid",
    "_ga",
    "_gl",
    "_hsenc",
    "_hsmi",
    "mkt_tok",
    "vero_id",
    "oly_enc_id",
];

/// The longest URL accepted by default; browsers and sitemaps agree on about 2,000.
const MAX_LENGTH: usize = 2048;

/// What canonicalisation may change; part of a project's configuration.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UrlRules {
    /// Names of query parameters that are dropped: sessions and tracking. Case is ignored; a final `*` matches any
    /// ending.
    pub drop_params: Vec<String>,
    /// Longest URL accepted, in bytes, before and after canonicalisation.
    pub max_length: usize,
}

impl Default for UrlRules {
    fn default() -> Self {
        let names = SESSIONS.iter().chain(&TRACKING);
        Self { drop_params: names.map(|name| (*name).to_owned()).collect(), max_length: MAX_LENGTH }
    }
}

impl UrlRules {
    /// Rules that drop no parameter: for tests, and for archives that must keep every URL distinct.
    pub fn keep_all() -> Self {
        Self { drop_params: Vec::new(), ..Self::default() }
    }

    /// Whether the parameter `name` is dropped.
    pub fn drops(&self, name: &str) -> bool {
        let name = name.as_bytes();
        self.drop_params.iter().any(|pattern| match pattern.as_bytes() {
            [start @ .., b'*'] => {
                name.get(..start.len()).is_some_and(|begin| begin.eq_ignore_ascii_case(start))
            }
            whole => name.eq_ignore_ascii_case(whole),
        })
    }

    /// Whether any parameter of `query` is dropped.
    pub(super) fn drops_any(&self, query: &str) -> bool {
        query.split('&').any(|param| self.drops(param_name(param)))
    }
}

/// The name of `name=value`, or all of it.
pub(super) fn param_name(param: &str) -> &str {
    param.split_once('=').map_or(param, |(name, _)| name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_matched_without_case_and_with_a_final_star() {
        let rules = UrlRules::default();
        let check = |name: &str, dropped: bool| assert_eq!(rules.drops(name), dropped, "{name}");
        check("utm_source", true);
        check("UTM_", true);
        check("utm", false);
        check("PHPSESSID", true);
        check("ASPSESSIONIDQQGG", true);
        check("sid", false);
        check("id", false);
        check("", false);
        check("ütm", false);
    }

    #[test]
    fn a_lone_star_drops_everything() {
        let rules = UrlRules { drop_params: vec!["*".into()], ..UrlRules::default() };
        assert!(rules.drops_any("a=1") && rules.drops(""));
    }
}
