//! Detail capture: how much of the budget reaches pages that show one item.
//!
//! Zhang & Nasraoui 2009 (figures 14 and 15) and Zhang 2008 (figure 39) plot a "detail page capture ratio" without a
//! formula; it is read here as the share of detail pages among the pages crawled, wanted or not, like the harvest ratio
//! beside it.

use osprey_model::PageType;

use super::fact::{Fact, Point, cumulative};
use super::ratio;

/// Detail pages over visited pages.
pub(crate) fn detail_capture_ratio(crawl: &[Fact]) -> Option<f64> {
    ratio(crawl.iter().filter(|fact| is_detail(fact)).count(), crawl.len())
}

/// The detail capture ratio of the first `every`, `2 * every`, ... visits, and of all of them.
pub(crate) fn detail_capture_curve(crawl: &[Fact], every: usize) -> Vec<Point> {
    cumulative(crawl, every, |fact| f64::from(u8::from(is_detail(fact))), |sum, visited| sum / visited as f64)
}

/// The harvest ratio among detail pages only: "in the harvest ratio calculation, we only count the detail image links
/// traversed" (Zhang & Nasraoui 2009 section 8.3). `None` if no detail page was visited.
pub(crate) fn detail_harvest_ratio(crawl: &[Fact]) -> Option<f64> {
    let wanted = crawl.iter().filter(|fact| is_detail(fact) && fact.wanted).count();
    ratio(wanted, crawl.iter().filter(|fact| is_detail(fact)).count())
}

/// The same of the first `every`, `2 * every`, ... visits, and of all of them: 0 as long as there is no detail page.
pub(crate) fn detail_harvest_curve(crawl: &[Fact], every: usize) -> Vec<Point> {
    let wanted = |fact: &Fact| f64::from(u8::from(is_detail(fact) && fact.wanted));
    let wanted = cumulative(crawl, every, wanted, |sum, _| sum);
    let details = cumulative(crawl, every, |fact| f64::from(u8::from(is_detail(fact))), |sum, _| sum);
    let share = |(wanted, details): (Point, Point)| Point {
        value: if details.value > 0.0 { wanted.value / details.value } else { 0.0 },
        ..wanted
    };
    wanted.into_iter().zip(details).map(share).collect()
}

fn is_detail(fact: &Fact) -> bool {
    fact.page_type == PageType::Detail
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `D` a wanted detail page, `d` another one, anything else a list page that is wanted (which must not matter).
    fn crawl(picture: &str) -> Vec<Fact> {
        let fact = |c| match c {
            'D' => Fact { wanted: true, page_type: PageType::Detail, ..Fact::default() },
            'd' => Fact { page_type: PageType::Detail, ..Fact::default() },
            _ => Fact { wanted: true, page_type: PageType::List, ..Fact::default() },
        };
        picture.chars().map(fact).collect()
    }

    #[test]
    fn capture_counts_detail_pages() {
        let check = |picture: &str, capture: Option<f64>, harvest: Option<f64>| {
            assert_eq!(detail_capture_ratio(&crawl(picture)), capture, "capture of `{picture}`");
            assert_eq!(detail_harvest_ratio(&crawl(picture)), harvest, "harvest of `{picture}`");
        };
        // 3 detail pages of 4 visits; 1 of the 3 is wanted.
        check("lDdd", Some(0.75), Some(1.0 / 3.0));
        check("ll", Some(0.0), None);
        check("", None, None);
    }

    #[test]
    fn curve_is_cumulative() {
        // after 2: 1 of 2; after 4: 3 of 4.
        let values: Vec<f64> =
            detail_capture_curve(&crawl("lDdd"), 2).iter().map(|point| point.value).collect();
        assert_eq!(values, [0.5, 0.75]);
        // after 2: 1 wanted of 1; after 4: 1 of 3; before any: 0.
        let values = |picture: &str| -> Vec<f64> {
            detail_harvest_curve(&crawl(picture), 2).iter().map(|point| point.value).collect()
        };
        assert_eq!(values("lDdd"), [1.0, 1.0 / 3.0]);
        assert_eq!(values("llD"), [0.0, 1.0]);
        assert!(detail_capture_curve(&[], 2).is_empty());
    }
}
