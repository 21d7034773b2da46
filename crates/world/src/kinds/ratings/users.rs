//! The pages of `ratings` that users made, and the lists that lead to them.

use crate::Dice;

use super::super::frame::Head;
use super::super::ground::day_of;
use super::super::pieces::{Fact, Remark};
use super::super::plan::Plan;
use super::super::site_map::PageKind;
use super::super::ties::draws;
use super::super::writer::Theme;
use super::pages::Out;
use super::{NAMES_A_PAGE, REVIEWS_A_PAGE, Ratings, RatingsPage};

pub(super) fn item_reviews(site: &Ratings, out: Out<'_, '_>, item: u64) {
    let name = site.item_name(item);
    out.begin(&Head::under(&format!("Reviews: {name}"), RatingsPage::Item.of(item), name.clone()));
    let dice = site.dice(RatingsPage::Reviews, item);
    out.open("div", "histogram");
    for stars in (1..=5u64).rev() {
        let width = format!("{}%", dice.at(stars).below(60));
        out.html.open("div", &[("class", "bar"), ("style", &format!("width:{width}"))]);
        out.element("span", "", &format!("{stars} stars: {width}"));
        out.close("div");
    }
    out.close("div");
    review_rows(site, out, site.about.children(item).slice(out.span(REVIEWS_A_PAGE)).collect(), false);
    out.pager();
}

pub(super) fn review_rows(site: &Ratings, out: Out<'_, '_>, reviews: Vec<u64>, names_item: bool) {
    out.roll("opinions", reviews, |out, review| {
        let dice = site.dice(RatingsPage::Review, review);
        out.link(RatingsPage::Review.of(review), &site.review_name(review), "headline");
        out.stars(dice.of("stars").between(10, 100));
        out.element("small", "", &day_of(dice.of("day")).iso());
        if let Some(user) = site.authors.parent(review).filter(|_| dice.of("named").chance(0.6)) {
            out.link(RatingsPage::User.of(user), &site.user_name(user), "by");
        }
        if let Some(item) = site.about.parent(review).filter(|_| names_item) {
            out.link(RatingsPage::Item.of(item), &site.item_name(item), "on");
        }
    });
}

pub(super) fn review(site: &Ratings, out: Out<'_, '_>, review: u64) {
    let (dice, topic, name) =
        (site.dice(RatingsPage::Review, review), site.reviews.topic(review), site.review_name(review));
    let (author, item) = (site.authors.parent(review), site.about.parent(review));
    let crumbs = item.map(|item| (RatingsPage::Item.of(item), site.item_name(item))).into_iter().collect();
    out.begin(&Head { title: &name, og_type: "article", about: &name, crumbs });
    out.open("div", out.by_theme("review hreview", "rev", "revbox"));
    if let Some(user) = author {
        out.open("div", "reviewer");
        out.thumb(RatingsPage::User.of(user), "avatar", "");
        out.link(RatingsPage::User.of(user), &site.user_name(user), "fn");
        out.close("div");
    }
    out.stars(dice.of("stars").between(10, 100));
    out.element("abbr", "dtreviewed", &day_of(dice.of("day")).long());
    if site.is_spammer(author) {
        out.spam(dice);
        out.close("div");
        return;
    }
    let prose = site.ground.prose(topic, 0.25, dice);
    if dice.of("pros").chance(0.6) {
        let line = |name: &str| {
            let text = prose.sentence_text(dice.of(name));
            Fact::Text(text)
        };
        out.facts("pros-cons", vec![("Pros", line("p")), ("Cons", line("c"))]);
    }
    out.open("div", "description");
    out.paragraphs(&prose, dice.of("body"), dice.of("length").long_tail(4.0, 12).max(1), 5);
    out.close("div");
    out.close("div");
    comments(site, out, dice, topic);
    if let Some(item) = item {
        let others = site.about.children(item).slice(0..5).filter(|other| *other != review).collect();
        out.heading("More opinions");
        review_rows(site, out, others, false);
    }
}

fn comments(site: &Ratings, out: Out<'_, '_>, dice: Dice, topic: usize) {
    let prose = site.ground.prose(topic, 0.12, dice.of("comments"));
    let authors =
        draws(dice.of("comments"), dice.of("count").long_tail(1.5, 8), |dice| site.users.draw(topic, dice));
    let remarks = authors.into_iter().map(|user| {
        let text = prose.paragraph_text(dice.of("comment").at(user), 2);
        let when = day_of(dice.of("when").at(user)).iso();
        Remark { author: RatingsPage::User.of(user), name: site.user_name(user), when, text }
    });
    let remarks: Vec<_> = remarks.collect();
    if remarks.is_empty() {
        return out.notice("No comments on this review.");
    }
    out.remarks("comments", remarks);
}

pub(super) fn reviewer(site: &Ratings, out: Out<'_, '_>, user: u64) {
    let (name, dice) = (site.user_name(user), site.dice(RatingsPage::User, user));
    out.begin(&Head { og_type: "profile", ..Head::under(&name, RatingsPage::Members.first(), "Reviewers") });
    if site.is_spammer(Some(user)) {
        out.spam(dice);
        return;
    }
    let reviews = site.authors.children(user);
    out.open("div", "member");
    out.html.open("img", &[("src", "/media/avatar.jpg"), ("alt", &name)]);
    out.facts(
        "member-facts",
        vec![
            ("Member since", Fact::Text(day_of(dice.of("since")).long())),
            ("Reviews", Fact::Text(reviews.len().to_string())),
            ("Trusted by", Fact::Text(site.trust.reach(user).to_string())),
        ],
    );
    if dice.of("bio").chance(0.8) {
        let prose = site.ground.prose(site.users.topic(user), 0.2, dice);
        out.paragraphs(&prose, dice.of("bio"), dice.of("bios").between(1, 3), 3);
    }
    out.close("div");
    review_rows(site, out, reviews.slice(0..5).collect(), true);
    if site.last_page(RatingsPage::UserReviews.of(user)) > 0 {
        out.link(RatingsPage::UserReviews.of(user), "All my reviews", "more");
    }
    if site.last_page(RatingsPage::Trust.of(user)) > 0 {
        out.link(RatingsPage::Trust.of(user), "My web of trust", "trust");
    }
    for guide in site.guide_authors.children(user).slice(0..6) {
        out.link(RatingsPage::Guide.of(guide), &site.guide_name(guide), "guide");
    }
}

pub(super) fn trust(site: &Ratings, out: Out<'_, '_>, user: u64) {
    let name = site.user_name(user);
    out.begin(&Head::under(&format!("Web of trust of {name}"), RatingsPage::User.of(user), name.clone()));
    out.raw("<table class=\"trust\"><tr><th>Trusts</th><th>Is trusted by</th></tr><tr valign=\"top\">\n");
    for users in [site.trust.parents(user), site.trust.children(user, 0..40)] {
        out.open("td", "");
        for other in users {
            out.link(RatingsPage::User.of(other), &site.user_name(other), "tr");
            out.raw("<br>");
        }
        out.close("td");
    }
    out.raw("</tr></table>\n");
}

pub(super) fn reviewer_reviews(site: &Ratings, out: Out<'_, '_>, user: u64) {
    let name = site.user_name(user);
    out.begin(&Head::under(&format!("Reviews by {name}"), RatingsPage::User.of(user), name.clone()));
    review_rows(site, out, site.authors.children(user).slice(out.span(REVIEWS_A_PAGE)).collect(), true);
    out.pager();
}

pub(super) fn guide(site: &Ratings, out: Out<'_, '_>, guide: u64) {
    let (name, dice) = (site.guide_name(guide), site.dice(RatingsPage::Guide, guide));
    let author = site.guide_authors.parent(guide);
    out.begin(&Head { about: &name, ..Head::under(&name, RatingsPage::Guides.first(), "Guides") });
    if let Some(user) = author {
        out.link(RatingsPage::User.of(user), &site.user_name(user), "author");
    }
    if site.is_spammer(author) {
        out.spam(dice);
        return;
    }
    let prose = site.ground.prose(site.guides.topic(guide), 0.25, dice);
    out.paragraphs(&prose, dice.of("intro"), 2, 4);
    for item in site.guided.parents(guide) {
        out.open("div", if out.theme == Theme::New { "pick" } else { "choice" });
        out.open("h5", "");
        out.link(RatingsPage::Item.of(item), &site.item_name(item), "");
        out.close("h5");
        out.paragraphs(&prose, dice.of("pick").at(item), 1, 2);
        out.close("div");
    }
    comments(site, out, dice, site.guides.topic(guide));
}

pub(super) fn members(site: &Ratings, out: Out<'_, '_>) {
    out.begin(&Head::under("Reviewers", RatingsPage::Home.first(), "Home"));
    let users: Vec<u64> = out.span(NAMES_A_PAGE).take_while(|user| *user < site.users.len()).collect();
    out.roll("reviewers", users, |out, user| {
        out.link(RatingsPage::User.of(user), &site.user_name(user), "");
    });
    out.pager();
}

pub(super) fn guides(site: &Ratings, out: Out<'_, '_>) {
    out.begin(&Head::under("Guides", RatingsPage::Home.first(), "Home"));
    let guides: Vec<u64> = out.span(NAMES_A_PAGE).take_while(|guide| *guide < site.guides.len()).collect();
    out.roll("guide-list", guides, |out, guide| {
        out.open("h4", "");
        out.link(RatingsPage::Guide.of(guide), &site.guide_name(guide), "");
        out.close("h4");
    });
    out.pager();
}
