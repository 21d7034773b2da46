//! The pages of `movies` that users made, and the lists that lead to them.

use crate::Dice;

use super::super::frame::Head;
use super::super::ground::day_of;
use super::super::pieces::{Fact, Remark, span};
use super::pages::Page;
use super::{Movies, NAMES_A_PAGE, Place, REVIEWS_A_PAGE};

pub(super) fn members(site: &Movies, sheet: Page<'_, '_>, page: u64) {
    sheet.begin(&Head::under("Members", Place::Home, "Home"));
    let users = span(page, NAMES_A_PAGE).take_while(|user| *user < site.users.len());
    sheet.roll("members", users, |sheet, user| {
        sheet.thumb(Place::User(user), "avatar", "");
        sheet.link(Place::User(user), &site.user_name(user), "user");
    });
    sheet.pager_of(page, site.last_page(Place::Members(1)), Place::Members);
    sheet.end();
}

pub(super) fn lists(site: &Movies, sheet: Page<'_, '_>, page: u64) {
    sheet.begin(&Head::under("Lists by members", Place::Home, "Home"));
    let lists = span(page, NAMES_A_PAGE).take_while(|list| *list < site.lists.len());
    sheet.roll("all-lists", lists, |sheet, list| {
        sheet.link(Place::List(list), &site.list_name(list), "");
        if let Some(owner) = site.list_owners.parent(list) {
            sheet.html.text(" by ");
            sheet.link(Place::User(owner), &site.user_name(owner), "user");
        }
    });
    sheet.pager_of(page, site.last_page(Place::Lists(1)), Place::Lists);
    sheet.end();
}

pub(super) fn film_reviews(site: &Movies, sheet: Page<'_, '_>, title: u64, page: u64) {
    let name = site.film_name(title);
    sheet.begin(&Head::under(&format!("Reviews of {name}"), Place::Title(title), name.clone()));
    let reviews: Vec<u64> = site.reviewed.children(title).slice(span(page, REVIEWS_A_PAGE)).collect();
    review_rows(site, sheet, reviews, true);
    sheet.pager_of(page, site.review_pages(title), |n| Place::Reviews(title, n));
    sheet.end();
}

pub(super) fn review_rows(site: &Movies, sheet: Page<'_, '_>, reviews: Vec<u64>, by_film: bool) {
    sheet.roll("review-rows", reviews, |sheet, review| {
        let dice = site.dice("review", review);
        sheet.stars(dice.of("stars").between(10, 100));
        sheet.link(Place::Review(review), &site.review_name(review), "review-title");
        sheet.html.element("i", &[], &day_of(dice.of("day")).iso());
        match (by_film, site.reviewers.parent(review), site.reviewed.parent(review)) {
            (true, Some(user), _) => sheet.link(Place::User(user), &site.user_name(user), "user"),
            (false, _, Some(title)) => sheet.link(Place::Title(title), &site.film_name(title), "film"),
            _ => {}
        }
    });
}

pub(super) fn user_profile(site: &Movies, sheet: Page<'_, '_>, user: u64) {
    let (name, dice) = (site.user_name(user), site.dice("user", user));
    sheet.begin(&Head { og_type: "profile", ..Head::under(&name, Place::Members(1), "Members") });
    if site.is_spammer(Some(user)) {
        sheet.spam(dice);
        return sheet.end();
    }
    let prose = site.ground.prose(site.users.topic(user), 0.2, dice);
    sheet.html.open("div", &[("class", "profile-card")]);
    sheet.html.open("img", &[("src", "/media/avatar.jpg"), ("class", "avatar"), ("alt", &name)]);
    sheet.facts("about-user", vec![("Member since", Fact::Text(day_of(dice.of("since")).long()))]);
    if dice.of("bio").chance(0.7) {
        sheet.paragraphs(&prose, dice.of("bio"), 1, 3);
    }
    sheet.html.close("div");
    let reviews = site.reviewers.children(user);
    sheet.heading("Recent reviews");
    if reviews.len() == 0 {
        sheet.notice("No reviews yet.");
    }
    review_rows(site, sheet, reviews.slice(0..REVIEWS_A_PAGE / 2).collect(), false);
    if site.user_review_pages(user) > 0 {
        sheet.link(Place::UserReviews(user, 1), &format!("All {} reviews", reviews.len()), "more");
    }
    let lists = site.list_owners.children(user);
    if lists.len() > 0 {
        sheet.heading("Lists");
        sheet.roll("own-lists", lists.slice(0..20), |sheet, list| {
            sheet.link(Place::List(list), &site.list_name(list), "list");
        });
    }
    sheet.html.open("div", &[("class", "friends")]);
    for other in site.follows.parents(user).into_iter().chain(site.follows.children(user, 0..8)) {
        sheet.link(Place::User(other), &site.user_name(other), "friend");
    }
    sheet.html.close("div");
    wall(site, sheet, user, dice);
    sheet.end();
}

/// What others wrote on a profile.
fn wall(site: &Movies, sheet: Page<'_, '_>, user: u64, dice: Dice) {
    let prose = site.ground.prose(site.users.topic(user), 0.15, dice.of("wall"));
    let remarks = site.follows.children(user, 0..5).into_iter().map(|author| {
        let mut text = String::new();
        prose.paragraph(dice.of("wall").at(author), 2, &mut text);
        let when = day_of(dice.of("when").at(author)).long();
        Remark { author: Place::User(author), name: site.user_name(author), when, text }
    });
    sheet.remarks("wall", remarks.collect());
}

pub(super) fn user_reviews(site: &Movies, sheet: Page<'_, '_>, user: u64, page: u64) {
    let name = site.user_name(user);
    sheet.begin(&Head::under(&format!("Reviews by {name}"), Place::User(user), name.clone()));
    review_rows(
        site,
        sheet,
        site.reviewers.children(user).slice(span(page, REVIEWS_A_PAGE)).collect(),
        false,
    );
    sheet.pager_of(page, site.user_review_pages(user), |n| Place::UserReviews(user, n));
    sheet.end();
}

pub(super) fn one_review(site: &Movies, sheet: Page<'_, '_>, review: u64) {
    let (dice, topic) = (site.dice("review", review), site.reviews.topic(review));
    let heading = site.review_name(review);
    let crumbs = site.reviewed.parent(review).map(|title| (Place::Title(title), site.film_name(title)));
    sheet.begin(&Head {
        title: &heading,
        og_type: "article",
        about: &heading,
        crumbs: crumbs.into_iter().collect(),
    });
    let author = site.reviewers.parent(review);
    sheet.html.open(
        "div",
        &[("class", "review-head"), ("itemscope", ""), ("itemtype", "http://schema.org/Review")],
    );
    if let Some(user) = author {
        sheet.html.text("Reviewed by ");
        sheet.link(Place::User(user), &site.user_name(user), "reviewer");
    }
    sheet.html.element(
        "time",
        &[("datetime", &day_of(dice.of("day")).iso())],
        &day_of(dice.of("day")).long(),
    );
    sheet.stars(dice.of("stars").between(10, 100));
    sheet.html.close("div");
    if site.is_spammer(author) {
        sheet.spam(dice);
        return sheet.end();
    }
    let prose = site.ground.prose(topic, 0.25, dice);
    sheet
        .html
        .open("div", &[("class", sheet.by_theme("review-body", "text", "r")), ("itemprop", "reviewBody")]);
    sheet.paragraphs(&prose, dice.of("body"), dice.of("length").long_tail(4.0, 12).max(1), 6);
    sheet.html.close("div");
    let useful = dice.of("useful").long_tail(6.0, 400);
    sheet.html.element("p", &[("class", "useful")], &format!("{useful} people found this review useful"));
    if let Some(title) = site.reviewed.parent(review) {
        sheet.heading("Other reviews of this film");
        let others = site.reviewed.children(title).slice(0..4).filter(|other| *other != review).collect();
        review_rows(site, sheet, others, true);
    }
    sheet.end();
}

pub(super) fn user_list(site: &Movies, sheet: Page<'_, '_>, list: u64) {
    let (name, dice) = (site.list_name(list), site.dice("list", list));
    let owner = site.list_owners.parent(list);
    let crumbs = owner.map(|user| (Place::User(user), site.user_name(user))).into_iter().collect();
    sheet.begin(&Head { title: &name, og_type: "", about: &name, crumbs });
    if site.is_spammer(owner) {
        sheet.spam(dice);
        return sheet.end();
    }
    let prose = site.ground.prose(site.lists.topic(list), 0.25, dice);
    sheet.paragraphs(&prose, dice.of("intro"), 1, 3);
    sheet.html.open("ol", &[("class", "user-list")]);
    for title in site.listed.parents(list) {
        sheet.html.open("li", &[]);
        sheet.thumb(Place::Title(title), &format!("poster/{title}"), "");
        sheet.link(Place::Title(title), &site.film_name(title), "film");
        if dice.at(title).chance(0.6) {
            sheet.html.open("blockquote", &[]);
            sheet.paragraphs(&prose, dice.of("why").at(title), 1, 1);
            sheet.html.close("blockquote");
        }
        sheet.html.close("li");
    }
    sheet.html.close("ol");
    sheet.end();
}
