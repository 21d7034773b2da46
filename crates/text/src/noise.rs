//! Tags that say nothing of what is on a picture: names of cameras and phones, years, words that praise.
//!
//! A list, not a model: it can be read and extended. A word with a star stands for every tag that contains it as a word:
//! `canon*` is `canon eos 5d` too, `iphone*` is `apple iphone 3gs`. A word without one is that tag alone: `apple` is a
//! brand, `apple tree` is not.

use std::sync::LazyLock;

use rustc_hash::FxHashSet;

/// The list, and the words of it that have a star.
static NOISE: LazyLock<[FxHashSet<&'static str>; 2]> = LazyLock::new(|| {
    let all = || include_str!("../data/noise-tags.txt").split_whitespace();
    let brands = all().filter_map(|word| word.strip_suffix('*'));
    [all().collect(), brands.collect()]
});

/// Whether a tag, in lower case, is on the list of noise.
pub fn is_noise_tag(tag: &str) -> bool {
    let [all, brands] = &*NOISE;
    all.contains(tag) || tag.split(' ').any(|word| brands.contains(word))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn noise_is_listed() {
        let check = |tag: &str, expect: bool| assert_eq!(is_noise_tag(tag), expect, "{tag}");
        check("nikon", true);
        check("canon eos 5d mark ii", true);
        check("apple", true);
        check("apple iphone 3gs", true);
        check("apple tree", false);
        check("leica m8", true);
        check("2009", true);
        check("new", true);
        check("new york", false);
        check("canonical", false);
        check("galaxy", false);
        check("", false);
    }
}
