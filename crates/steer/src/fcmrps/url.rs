//! The relevance of a URL to a topic (equations 5 and 6).
//!
//! One pass over the URL finds all forms of the topic and its context. Pages of one site repeat the same links, so
//! recent results are cached.

use osprey_text::url_tokens;
use rustc_hash::FxHashMap;
use xxhash_rust::xxh3::xxh3_64;

use super::tokens::{Forms, TokenTable};
use crate::taxonomy::Aim;

/// α of the four columns of forms.
pub(crate) const STRENGTHS: [f32; 4] = [1.0, 0.5, 1.0, 0.2];
/// The column of the abbreviations.
const ABBREVIATIONS: usize = 1;
/// The first of the columns of pinyin.
const PINYIN: usize = 2;
/// Letters from which on an abbreviation may stand inside a token. Chen et al. 2009 have no such limit; without one,
/// `in` for India or `os` for operating systems would be found in every second URL.
const INSIDE_FROM: usize = 3;

/// URLs that are remembered.
const MAX_KNOWN: usize = 1 << 16;

/// A topic with its context, ready to be looked for in URLs.
#[derive(Clone, Debug)]
pub struct UrlTopic {
    /// Of each label of the context: its weight; those of a way in a taxonomy are together 1.
    weights: Vec<f32>,
    forms: Vec<Form>,
    beginnings: Beginnings,
    known: FxHashMap<u64, UrlMatch>,
    /// Memory for one URL: its tokens, and the strength of each label.
    tokens: Vec<u8>,
    strengths: Vec<f32>,
}

/// One way to write a label.
#[derive(Clone, Debug)]
struct Form {
    bytes: Vec<u8>,
    label: usize,
    strength: f32,
}

/// The pairs of letters that forms begin with, as bits.
#[derive(Clone, Debug)]
struct Beginnings([u64; 64]);

impl Beginnings {
    fn split(first: u8, second: u8) -> (usize, u64) {
        // letters differ in their lower five bits, digits and the slash in the sixth
        (usize::from(first & 63), 1 << (second & 63))
    }

    fn put(&mut self, first: u8, second: u8) {
        let (place, bit) = Self::split(first, second);
        self.0[place] |= bit;
    }

    fn may_have(&self, first: u8, second: u8) -> bool {
        let (place, bit) = Self::split(first, second);
        self.0[place] & bit != 0
    }
}

/// What the tokens of a URL say.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct UrlMatch {
    /// Equation 6.
    pub relevance: f32,
    /// Whether the topic itself was found.
    pub has_topic: bool,
    /// Whether a topic above it was found.
    pub has_context: bool,
}

impl UrlTopic {
    /// For a topic, with the table of how topics are written.
    pub fn new(aim: &Aim, table: &TokenTable) -> Self {
        let weights = aim.names().iter().map(|(_, weight)| *weight).collect();
        let labels = aim.names().iter().enumerate();
        let forms: Vec<Form> = labels
            .flat_map(|(label, (topic, _))| forms(label, &table.forms(topic), aim.is_in_pinyin()))
            .collect();
        let mut beginnings = Beginnings([0; 64]);
        for form in &forms {
            if let [first, second, ..] = form.bytes[..] {
                beginnings.put(first, second);
            }
        }
        let strengths = vec![0.0; aim.names().len()];
        Self { weights, forms, beginnings, known: FxHashMap::default(), tokens: Vec::new(), strengths }
    }

    /// Equations 5 and 6: `R_URL` of a link.
    pub fn relevance(&mut self, url: &str) -> UrlMatch {
        let key = xxh3_64(url.as_bytes());
        if let Some(found) = self.known.get(&key) {
            return *found;
        }
        if self.known.len() >= MAX_KNOWN {
            self.known.clear();
        }
        let found = self.look(url);
        self.known.insert(key, found);
        found
    }

    fn look(&mut self, url: &str) -> UrlMatch {
        self.tokens.clear();
        // a sign that is in no form keeps tokens apart
        self.tokens.push(b'/');
        for token in url_tokens(url) {
            let letters = token.text.bytes().filter(|byte| !matches!(byte, b'-' | b'_'));
            self.tokens.extend(letters.map(|byte| byte.to_ascii_lowercase()));
            self.tokens.push(b'/');
        }
        self.strengths.fill(0.0);
        for (at, pair) in self.tokens.windows(2).enumerate() {
            if let [first, second] = pair
                && self.beginnings.may_have(*first, *second)
            {
                let rest = self.tokens.get(at..).unwrap_or_default();
                for form in self.forms.iter().filter(|form| rest.starts_with(&form.bytes)) {
                    // equation 5: the strongest form counts
                    if let Some(strength) = self.strengths.get_mut(form.label) {
                        *strength = strength.max(form.strength);
                    }
                }
            }
        }
        let relevance: f32 =
            self.strengths.iter().zip(&self.weights).map(|(strength, weight)| strength * weight).sum();
        // the topic is the last of the way to it
        let (topic, context) =
            self.strengths.split_last().map_or((0.0, &[][..]), |(last, rest)| (*last, rest));
        let has_context = context.iter().any(|strength| *strength > 0.0);
        UrlMatch { relevance: relevance.min(1.0), has_topic: topic > 0.0, has_context }
    }
}

/// The forms of a label; a single letter is none.
fn forms(label: usize, forms: &Forms, with_pinyin: bool) -> Vec<Form> {
    let mut all = Vec::new();
    let columns = if with_pinyin { STRENGTHS.len() } else { PINYIN };
    for (place, (column, strength)) in forms.columns().into_iter().zip(STRENGTHS).enumerate().take(columns) {
        for form in column.iter().filter(|form| form.len() > 1) {
            let alone = place == ABBREVIATIONS && form.len() < INSIDE_FROM;
            let bytes = if alone { format!("/{form}/").into_bytes() } else { form.clone().into_bytes() };
            all.push(Form { bytes, label, strength });
        }
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::taxonomy::Taxonomy;

    const TAXONOMY: &str = r#"topic = [
        { name = "sports", en = "Sports", zh = "体育" },
        { name = "basketball", parent = "sports", en = "Basketball", zh = "篮球" },
        { name = "places", en = "Places" },
        { name = "shanghai", parent = "places", en = "Shanghai", zh = "上海" },
        { name = "computing", en = "Computing" },
        { name = "software", parent = "computing", en = "Software", zh = "软件", abbreviations = ["soft"] },
        { name = "tga", en = "Taiwan, Hong Kong, Macao", zh = "台港澳" },
    ]"#;

    fn check(topic: &str, url: &str, expect: f32) {
        let taxonomy = Taxonomy::from_toml(TAXONOMY).unwrap();
        let mut table = TokenTable::default();
        table.add_toml("[shanghai]\ninitials = [\"SH\"]\n[tga]\npinyin = [\"tai_gang_ao\"]").unwrap();
        let mut urls = UrlTopic::new(&Aim::of_node(&taxonomy, taxonomy.find(topic).unwrap()), &table);
        let found = urls.relevance(url).relevance;
        assert!((found - expect).abs() < 1e-6, "{topic} in {url}: {found}, expected {expect}");
    }

    /// Chen et al. 2009's example: basketball, weights (1/2, 2/2), beta 2/3; b = {{1,0,0,0}, {0,0,1,0}}:
    /// (1/2 * 1 + 1 * 1) * 2/3 = 1.
    #[test]
    fn equation_6_the_example_of_chen_et_al_2009() {
        check("basketball", "http://sports.sohu.com/lanqiu.shtml", 1.0);
        check("basketball", "http://sports.sohu.com/2008/20080229.htm", 0.5 * 2.0 / 3.0);
        check("basketball", "http://a.example/LanQiu/1.html", 2.0 / 3.0);
        check("basketball", "http://auto.sohu.com/1.html", 0.0);
    }

    /// Equation 5: abbreviation 0.5, first letters 0.2 (also by mistake, as Chen et al. 2009 say of `shop`), both
    /// weighted 1 * 2/3 for a topic on the second level; the strongest counts.
    #[test]
    fn equation_5_strengths() {
        check("software", "http://soft.example/", 0.5 * 2.0 / 3.0);
        check("software", "http://software.example/soft/", 2.0 / 3.0);
        check("software", "http://a.example/ruan-jian/", 2.0 / 3.0);
        check("shanghai", "http://www.sh.xinhuanet.com/", 0.2 * 2.0 / 3.0);
        check("shanghai", "http://a.example/shop", 0.2 * 2.0 / 3.0);
        check("tga", "http://www.xinhuanet.com/tai_gang_ao", 1.0);
        check("tga", "http://a.example/taiwan.html", 0.0);
    }

    /// Table 4: the topic itself, or a topic above it.
    #[test]
    fn topic_and_context_are_told_apart() {
        let taxonomy = Taxonomy::from_toml(TAXONOMY).unwrap();
        let aim = Aim::of_node(&taxonomy, taxonomy.find("basketball").unwrap());
        let mut urls = UrlTopic::new(&aim, &TokenTable::default());
        let mut check = |url: &str, expect| {
            let found = urls.relevance(url);
            assert_eq!((found.has_topic, found.has_context), expect, "{url}");
        };
        check("http://sports.example/lanqiu/1", (true, true));
        check("http://a.example/basketball/1", (true, false));
        check("http://sports.example/1", (false, true));
        check("http://a.example/1", (false, false));
    }

    #[test]
    fn two_letters_stand_alone() {
        let toml = r#"topic = [{ name = "os", en = "Operating Systems", abbreviations = ["os"] }]"#;
        let taxonomy = Taxonomy::from_toml(toml).unwrap();
        let mut urls =
            UrlTopic::new(&Aim::of_node(&taxonomy, taxonomy.find("os").unwrap()), &TokenTable::default());
        assert_eq!(urls.relevance("http://a.example/os/1.html").relevance, 0.5);
        assert_eq!(urls.relevance("http://a.example/os.html").relevance, 0.5);
        assert_eq!(urls.relevance("http://a.example/photos/").relevance, 0.0);
    }

    /// A topic of words: one of them is enough.
    #[test]
    fn words_speak_each_for_the_topic() {
        let mut urls = UrlTopic::new(&Aim::of_words(["red flower", "篮球"]), &TokenTable::default());
        let mut check = |url: &str, expect| assert_eq!(urls.relevance(url).relevance, expect, "{url}");
        check("http://a.example/red-flower/1", 1.0);
        check("http://a.example/lanqiu/redflower", 1.0);
        check("http://a.example/red/", 0.0);
    }

    #[test]
    fn pinyin_can_be_left_out() {
        let taxonomy = Taxonomy::from_toml(TAXONOMY).unwrap();
        let aim = Aim::of_node(&taxonomy, taxonomy.find("sports").unwrap())
            .only(Some(crate::taxonomy::TopicLanguage::English));
        let mut urls = UrlTopic::new(&aim, &TokenTable::default());
        assert_eq!(urls.relevance("http://a.example/tiyu/").relevance, 0.0);
        assert_eq!(urls.relevance("http://a.example/sports/").relevance, 1.0);
    }

    /// A form is found in a token, not over two.
    #[test]
    fn tokens_stay_apart() {
        check("sports", "http://spo.rts.example/", 0.0);
        check("sports", "", 0.0);
        check("sports", "http://mysports2.example/", 1.0);
    }
}
