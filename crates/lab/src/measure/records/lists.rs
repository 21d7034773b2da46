//! Invented lists of real pages: what leads to the detail pages of a site.

use std::fmt::Write as _;

use osprey_model::UrlRules;
use osprey_page::{Input, Page, PageRules};

/// Pages that a list links to.
const ON_A_LIST: usize = 20;

/// Lists of all pages that have a name; each also links to the others by their numbers.
pub(super) fn of<'p>(pages: &'p [Page], name: impl Fn(&'p Page) -> Option<&'p str>) -> Vec<Page> {
    let Some(first) = pages.first() else { return Vec::new() };
    let named: Vec<(&Page, &str)> = pages.iter().filter_map(|page| Some((page, name(page)?))).collect();
    let numbers = 1..=named.len().div_ceil(ON_A_LIST);
    let lists = named.chunks(ON_A_LIST).zip(numbers.clone()).filter_map(|(listed, number)| {
        let url = first.url().join(&format!("/list/{number}"), &UrlRules::default()).ok()?;
        let others = numbers.clone().filter(|other| *other != number);
        let body = html(listed, number, others);
        let input =
            Input { url: &url, content_type: Some("text/html; charset=utf-8"), body: body.as_bytes() };
        Some(Page::parse(&input, &PageRules::default()))
    });
    lists.collect()
}

fn html(listed: &[(&Page, &str)], number: usize, others: impl Iterator<Item = usize>) -> String {
    let mut html = format!("<title>All items, page {number}</title><h1>All items</h1><ul class=items>");
    for (page, name) in listed {
        let url = page.url().as_str().replace('&', "&amp;").replace('"', "%22");
        let name = name.replace('&', "&amp;").replace('<', "&lt;");
        let _ = write!(html, "<li><a href=\"{url}\">{name}</a></li>");
    }
    html.push_str("</ul><p class=pages>");
    for other in others {
        let _ = write!(html, "<a href=\"/list/{other}\">{other}</a> ");
    }
    html
}

#[cfg(test)]
mod tests {
    use osprey_model::CanonicalUrl;

    use super::*;

    #[test]
    fn every_page_is_on_one_list_under_its_name() {
        let page = |number: usize| {
            let url = format!("http://example.com/p?a=1&b={number}");
            let url = CanonicalUrl::parse(&url, &UrlRules::default()).expect("a URL");
            let input = Input { url: &url, content_type: None, body: b"<title>x & <y></title>" };
            Page::parse(&input, &PageRules::default())
        };
        let pages: Vec<Page> = (0..45).map(page).collect();
        let lists = of(&pages, |page| Some(page.title()));
        assert_eq!(lists.len(), 3);
        let links: Vec<_> =
            lists.iter().flat_map(|list| list.links().iter().map(move |link| (list, link))).collect();
        for page in &pages {
            let of_page: Vec<_> = links.iter().filter(|(_, link)| link.url == *page.url()).collect();
            assert_eq!(of_page.len(), 1, "{}", page.url());
            assert_eq!(of_page[0].0.anchor(of_page[0].1), "x & <y>");
        }
        assert_eq!(links.len(), 45 + 3 * 2);
        assert!(of(&pages, |_| None).is_empty() && of(&[], |_| None).is_empty());
    }
}
