//! The pages of `ratings` that users made, and the lists that lead to them.

use crate::Dice;

use super::super::frame::Head;
use super::super::ground::day_of;
use super::super::pieces::{Fact, Remark, span};
use super::super::sheet::Theme;
use super::super::ties::draws;
use super::pages::{Page, at};
use super::{Class, NAMES_A_PAGE, Place, REVIEWS_A_PAGE, Ratings};

pub(super) fn item_reviews(site: &Ratings, sheet: Page<'_, '_>, item: u64, page: u64) {
    let name = site.item_name(item);
    sheet.begin(&Head::under(&format!("Reviews: {name}"), at(Class::Item, item), name.clone()));
    let dice = site.dice(Class::Reviews, item);
    sheet.html.open("div", &[("class", "histogram")]);
    for stars in (1..=5u64).rev() {
        let width = format!("{}%", dice.at(stars).below(60));
        sheet.html.open("div", &[("class", "bar"), ("style", &format!("width:{width}"))]);
        sheet.html.element("span", &[], &format!("{stars} stars: {width}"));
        sheet.html.close("div");
    }
    sheet.html.close("div");
    review_rows(site, sheet, site.about.children(item).slice(span(page, REVIEWS_A_PAGE)).collect(), false);
    sheet.pager_of(page, site.last_page(Class::Reviews, item), |n| Place::Of(Class::Reviews, item, n));
    sheet.end();
}

pub(super) fn review_rows(site: &Ratings, sheet: Page<'_, '_>, reviews: Vec<u64>, names_item: bool) {
    sheet.roll("opinions", reviews, |sheet, review| {
        let dice = site.dice(Class::Review, review);
        sheet.link(at(Class::Review, review), &site.review_name(review), "headline");
        sheet.stars(dice.of("stars").between(10, 100));
        sheet.html.element("small", &[], &day_of(dice.of("day")).iso());
        if let Some(user) = site.authors.parent(review).filter(|_| dice.of("named").chance(0.6)) {
            sheet.link(at(Class::User, user), &site.user_name(user), "by");
        }
        if let Some(item) = site.about.parent(review).filter(|_| names_item) {
            sheet.link(at(Class::Item, item), &site.item_name(item), "on");
        }
    });
}

pub(super) fn review(site: &Ratings, sheet: Page<'_, '_>, review: u64) {
    let (dice, topic, name) =
        (site.dice(Class::Review, review), site.reviews.topic(review), site.review_name(review));
    let (author, item) = (site.authors.parent(review), site.about.parent(review));
    let crumbs = item.map(|item| (at(Class::Item, item), site.item_name(item))).into_iter().collect();
    sheet.begin(&Head { title: &name, og_type: "article", about: &name, crumbs });
    sheet.html.open("div", &[("class", sheet.by_theme("review hreview", "rev", "revbox"))]);
    if let Some(user) = author {
        sheet.html.open("div", &[("class", "reviewer")]);
        sheet.thumb(at(Class::User, user), "avatar", "");
        sheet.link(at(Class::User, user), &site.user_name(user), "fn");
        sheet.html.close("div");
    }
    sheet.stars(dice.of("stars").between(10, 100));
    sheet.html.element("abbr", &[("class", "dtreviewed")], &day_of(dice.of("day")).long());
    if site.is_spammer(author) {
        sheet.spam(dice);
        sheet.html.close("div");
        return sheet.end();
    }
    let prose = site.ground.prose(topic, 0.25, dice);
    if dice.of("pros").chance(0.6) {
        let line = |name: &str| {
            let mut text = String::new();
            prose.sentence(dice.of(name), &mut text);
            Fact::Text(text)
        };
        sheet.facts("pros-cons", vec![("Pros", line("p")), ("Cons", line("c"))]);
    }
    sheet.html.open("div", &[("class", "description")]);
    sheet.paragraphs(&prose, dice.of("body"), dice.of("length").long_tail(4.0, 12).max(1), 5);
    sheet.html.close("div");
    sheet.html.close("div");
    comments(site, sheet, dice, topic);
    if let Some(item) = item {
        let others = site.about.children(item).slice(0..5).filter(|other| *other != review).collect();
        sheet.heading("More opinions");
        review_rows(site, sheet, others, false);
    }
    sheet.end();
}

fn comments(site: &Ratings, sheet: Page<'_, '_>, dice: Dice, topic: usize) {
    let prose = site.ground.prose(topic, 0.12, dice.of("comments"));
    let authors =
        draws(dice.of("comments"), dice.of("count").long_tail(1.5, 8), |dice| site.users.draw(topic, dice));
    let remarks = authors.into_iter().map(|user| {
        let mut text = String::new();
        prose.paragraph(dice.of("comment").at(user), 2, &mut text);
        let when = day_of(dice.of("when").at(user)).iso();
        Remark { author: at(Class::User, user), name: site.user_name(user), when, text }
    });
    let remarks: Vec<_> = remarks.collect();
    if remarks.is_empty() {
        return sheet.notice("No comments on this review.");
    }
    sheet.remarks("comments", remarks);
}

pub(super) fn reviewer(site: &Ratings, sheet: Page<'_, '_>, user: u64) {
    let (name, dice) = (site.user_name(user), site.dice(Class::User, user));
    sheet.begin(&Head { og_type: "profile", ..Head::under(&name, at(Class::Members, 0), "Reviewers") });
    if site.is_spammer(Some(user)) {
        sheet.spam(dice);
        return sheet.end();
    }
    let reviews = site.authors.children(user);
    sheet.html.open("div", &[("class", "member")]);
    sheet.html.open("img", &[("src", "/media/avatar.jpg"), ("alt", &name)]);
    sheet.facts(
        "member-facts",
        vec![
            ("Member since", Fact::Text(day_of(dice.of("since")).long())),
            ("Reviews", Fact::Text(reviews.len().to_string())),
            ("Trusted by", Fact::Text(site.trust.reach(user).to_string())),
        ],
    );
    if dice.of("bio").chance(0.8) {
        let prose = site.ground.prose(site.users.topic(user), 0.2, dice);
        sheet.paragraphs(&prose, dice.of("bio"), dice.of("bios").between(1, 3), 3);
    }
    sheet.html.close("div");
    review_rows(site, sheet, reviews.slice(0..5).collect(), true);
    if site.last_page(Class::UserReviews, user) > 0 {
        sheet.link(at(Class::UserReviews, user), "All my reviews", "more");
    }
    if site.last_page(Class::Trust, user) > 0 {
        sheet.link(at(Class::Trust, user), "My web of trust", "trust");
    }
    for guide in site.guide_authors.children(user).slice(0..6) {
        sheet.link(at(Class::Guide, guide), &site.guide_name(guide), "guide");
    }
    sheet.end();
}

pub(super) fn trust(site: &Ratings, sheet: Page<'_, '_>, user: u64) {
    let name = site.user_name(user);
    sheet.begin(&Head::under(&format!("Web of trust of {name}"), at(Class::User, user), name.clone()));
    sheet
        .html
        .raw("<table class=\"trust\"><tr><th>Trusts</th><th>Is trusted by</th></tr><tr valign=\"top\">\n");
    for users in [site.trust.parents(user), site.trust.children(user, 0..40)] {
        sheet.html.open("td", &[]);
        for other in users {
            sheet.link(at(Class::User, other), &site.user_name(other), "tr");
            sheet.html.raw("<br>");
        }
        sheet.html.close("td");
    }
    sheet.html.raw("</tr></table>\n");
    sheet.end();
}

pub(super) fn reviewer_reviews(site: &Ratings, sheet: Page<'_, '_>, user: u64, page: u64) {
    let name = site.user_name(user);
    sheet.begin(&Head::under(&format!("Reviews by {name}"), at(Class::User, user), name.clone()));
    review_rows(site, sheet, site.authors.children(user).slice(span(page, REVIEWS_A_PAGE)).collect(), true);
    sheet
        .pager_of(page, site.last_page(Class::UserReviews, user), |n| Place::Of(Class::UserReviews, user, n));
    sheet.end();
}

pub(super) fn guide(site: &Ratings, sheet: Page<'_, '_>, guide: u64) {
    let (name, dice) = (site.guide_name(guide), site.dice(Class::Guide, guide));
    let author = site.guide_authors.parent(guide);
    sheet.begin(&Head { about: &name, ..Head::under(&name, at(Class::Guides, 0), "Guides") });
    if let Some(user) = author {
        sheet.link(at(Class::User, user), &site.user_name(user), "author");
    }
    if site.is_spammer(author) {
        sheet.spam(dice);
        return sheet.end();
    }
    let prose = site.ground.prose(site.guides.topic(guide), 0.25, dice);
    sheet.paragraphs(&prose, dice.of("intro"), 2, 4);
    for item in site.guided.parents(guide) {
        sheet.html.open("div", &[("class", if sheet.theme == Theme::New { "pick" } else { "choice" })]);
        sheet.html.open("h5", &[]);
        sheet.link(at(Class::Item, item), &site.item_name(item), "");
        sheet.html.close("h5");
        sheet.paragraphs(&prose, dice.of("pick").at(item), 1, 2);
        sheet.html.close("div");
    }
    comments(site, sheet, dice, site.guides.topic(guide));
    sheet.end();
}

pub(super) fn members(site: &Ratings, sheet: Page<'_, '_>, page: u64) {
    sheet.begin(&Head::under("Reviewers", Place::Home, "Home"));
    let users: Vec<u64> = span(page, NAMES_A_PAGE).take_while(|user| *user < site.users.len()).collect();
    sheet.roll("reviewers", users, |sheet, user| {
        sheet.link(at(Class::User, user), &site.user_name(user), "");
    });
    sheet.pager_of(page, site.last_page(Class::Members, 0), |n| Place::Of(Class::Members, 0, n));
    sheet.end();
}

pub(super) fn guides(site: &Ratings, sheet: Page<'_, '_>, page: u64) {
    sheet.begin(&Head::under("Guides", Place::Home, "Home"));
    let guides: Vec<u64> = span(page, NAMES_A_PAGE).take_while(|guide| *guide < site.guides.len()).collect();
    sheet.roll("guide-list", guides, |sheet, guide| {
        sheet.html.open("h4", &[]);
        sheet.link(at(Class::Guide, guide), &site.guide_name(guide), "");
        sheet.html.close("h4");
    });
    sheet.pager_of(page, site.last_page(Class::Guides, 0), |n| Place::Of(Class::Guides, 0, n));
    sheet.end();
}
