//! The pages of `movies` that users made, and the lists that lead to them.

use crate::Dice;

use super::super::frame::Head;
use super::super::ground::day_of;
use super::super::pieces::{Fact, Remark};
use super::super::plan::Plan;
use super::super::site_map::PageKind;
use super::pages::Out;
use super::{Movies, MoviesPage, NAMES_A_PAGE, REVIEWS_A_PAGE};

pub(super) fn members(site: &Movies, out: Out<'_, '_>) {
    out.begin(&Head::under("Members", MoviesPage::Home.first(), "Home"));
    let users = out.span(NAMES_A_PAGE).take_while(|user| *user < site.users.len());
    out.roll("members", users, |out, user| {
        out.thumb(MoviesPage::User.of(user), "avatar", "");
        out.link(MoviesPage::User.of(user), &site.user_name(user), "user");
    });
}

pub(super) fn lists(site: &Movies, out: Out<'_, '_>) {
    out.begin(&Head::under("Lists by members", MoviesPage::Home.first(), "Home"));
    let lists = out.span(NAMES_A_PAGE).take_while(|list| *list < site.lists.len());
    out.roll("all-lists", lists, |out, list| {
        out.link(MoviesPage::List.of(list), &site.list_name(list), "");
        if let Some(owner) = site.list_owners.parent(list) {
            out.text(" by ");
            out.link(MoviesPage::User.of(owner), &site.user_name(owner), "user");
        }
    });
}

pub(super) fn film_reviews(site: &Movies, out: Out<'_, '_>, title: u64) {
    let name = site.film_name(title);
    out.begin(&Head::under(&format!("Reviews of {name}"), MoviesPage::Title.of(title), name.clone()));
    let reviews: Vec<u64> = site.reviewed.children(title).slice(out.span(REVIEWS_A_PAGE)).collect();
    review_rows(site, out, reviews, true);
}

pub(super) fn review_rows(site: &Movies, out: Out<'_, '_>, reviews: Vec<u64>, by_film: bool) {
    out.roll("review-rows", reviews, |out, review| {
        let dice = site.dice("review", review);
        out.stars(dice.of("stars").between(10, 100));
        out.link(MoviesPage::Review.of(review), &site.review_name(review), "review-title");
        out.element("i", "", &day_of(dice.of("day")).iso());
        match (by_film, site.reviewers.parent(review), site.reviewed.parent(review)) {
            (true, Some(user), _) => out.link(MoviesPage::User.of(user), &site.user_name(user), "user"),
            (false, _, Some(title)) => out.link(MoviesPage::Title.of(title), &site.film_name(title), "film"),
            _ => {}
        }
    });
}

pub(super) fn user_profile(site: &Movies, out: Out<'_, '_>, user: u64) {
    let (name, dice) = (site.user_name(user), site.dice("user", user));
    out.begin(&Head { og_type: "profile", ..Head::under(&name, MoviesPage::Members.first(), "Members") });
    if site.is_spammer(Some(user)) {
        out.spam(dice);
        return;
    }
    let prose = site.ground.prose(site.users.topic(user), 0.2, dice);
    out.open("div", "profile-card");
    out.html.open("img", &[("src", "/media/avatar.jpg"), ("class", "avatar"), ("alt", &name)]);
    out.facts("about-user", vec![("Member since", Fact::Text(day_of(dice.of("since")).long()))]);
    if dice.of("bio").chance(0.7) {
        out.paragraphs(&prose, dice.of("bio"), 1, 3);
    }
    out.close("div");
    let reviews = site.reviewers.children(user);
    out.heading("Recent reviews");
    if reviews.len() == 0 {
        out.notice("No reviews yet.");
    }
    review_rows(site, out, reviews.slice(0..REVIEWS_A_PAGE / 2).collect(), false);
    if site.last_page(MoviesPage::UserReviews.of(user)) > 0 {
        out.link(MoviesPage::UserReviews.of(user), &format!("All {} reviews", reviews.len()), "more");
    }
    let lists = site.list_owners.children(user);
    if lists.len() > 0 {
        out.heading("Lists");
        out.roll("own-lists", lists.slice(0..20), |out, list| {
            out.link(MoviesPage::List.of(list), &site.list_name(list), "list");
        });
    }
    out.open("div", "friends");
    for other in site.follows.parents(user).into_iter().chain(site.follows.children(user, 0..8)) {
        out.link(MoviesPage::User.of(other), &site.user_name(other), "friend");
    }
    out.close("div");
    wall(site, out, user, dice);
}

/// What others wrote on a profile.
fn wall(site: &Movies, out: Out<'_, '_>, user: u64, dice: Dice) {
    let prose = site.ground.prose(site.users.topic(user), 0.15, dice.of("wall"));
    let remarks = site.follows.children(user, 0..5).into_iter().map(|author| {
        let text = prose.paragraph_text(dice.of("wall").at(author), 2);
        let when = day_of(dice.of("when").at(author)).long();
        Remark { author: MoviesPage::User.of(author), name: site.user_name(author), when, text }
    });
    out.remarks("wall", remarks.collect());
}

pub(super) fn user_reviews(site: &Movies, out: Out<'_, '_>, user: u64) {
    let name = site.user_name(user);
    out.begin(&Head::under(&format!("Reviews by {name}"), MoviesPage::User.of(user), name.clone()));
    review_rows(site, out, site.reviewers.children(user).slice(out.span(REVIEWS_A_PAGE)).collect(), false);
}

pub(super) fn one_review(site: &Movies, out: Out<'_, '_>, review: u64) {
    let (dice, topic) = (site.dice("review", review), site.reviews.topic(review));
    let heading = site.review_name(review);
    let crumbs =
        site.reviewed.parent(review).map(|title| (MoviesPage::Title.of(title), site.film_name(title)));
    out.begin(&Head {
        title: &heading,
        og_type: "article",
        about: &heading,
        crumbs: crumbs.into_iter().collect(),
    });
    let author = site.reviewers.parent(review);
    out.html.open(
        "div",
        &[("class", "review-head"), ("itemscope", ""), ("itemtype", "http://schema.org/Review")],
    );
    if let Some(user) = author {
        out.text("Reviewed by ");
        out.link(MoviesPage::User.of(user), &site.user_name(user), "reviewer");
    }
    out.html.element("time", &[("datetime", &day_of(dice.of("day")).iso())], &day_of(dice.of("day")).long());
    out.stars(dice.of("stars").between(10, 100));
    out.close("div");
    if site.is_spammer(author) {
        out.spam(dice);
        return;
    }
    let prose = site.ground.prose(topic, 0.25, dice);
    out.html.open("div", &[("class", out.by_theme("review-body", "text", "r")), ("itemprop", "reviewBody")]);
    out.paragraphs(&prose, dice.of("body"), dice.of("length").long_tail(4.0, 12).max(1), 6);
    out.close("div");
    let useful = dice.of("useful").long_tail(6.0, 400);
    out.element("p", "useful", &format!("{useful} people found this review useful"));
    if let Some(title) = site.reviewed.parent(review) {
        out.heading("Other reviews of this film");
        let others = site.reviewed.children(title).slice(0..4).filter(|other| *other != review).collect();
        review_rows(site, out, others, true);
    }
}

pub(super) fn user_list(site: &Movies, out: Out<'_, '_>, list: u64) {
    let (name, dice) = (site.list_name(list), site.dice("list", list));
    let owner = site.list_owners.parent(list);
    let crumbs = owner.map(|user| (MoviesPage::User.of(user), site.user_name(user))).into_iter().collect();
    out.begin(&Head { title: &name, og_type: "", about: &name, crumbs });
    if site.is_spammer(owner) {
        out.spam(dice);
        return;
    }
    let prose = site.ground.prose(site.lists.topic(list), 0.25, dice);
    out.paragraphs(&prose, dice.of("intro"), 1, 3);
    out.bullets("ol", "user-list", site.listed.parents(list), |out, title| {
        out.thumb(MoviesPage::Title.of(title), &format!("poster/{title}"), "");
        out.link(MoviesPage::Title.of(title), &site.film_name(title), "film");
        if dice.at(title).chance(0.6) {
            out.open("blockquote", "");
            out.paragraphs(&prose, dice.of("why").at(title), 1, 1);
            out.close("blockquote");
        }
    });
}
