//! The pages of `movies`.

use super::super::frame::Head;
use super::super::ground::day_of;
use super::super::pieces::{Fact, span};
use super::super::sheet::{Sheet, Theme};
use super::super::tags::{Tag, Tags};
use super::super::ties::draws;
use super::{
    CHARTS_A_PAGE, FILMS_A_PAGE, FIRST_YEAR, GENRES, LETTERS, Movies, NAMES_A_PAGE, Place, YEARS, users,
};

pub(super) type Page<'a, 'b> = &'a mut Sheet<'b, Movies>;

pub(super) fn write(site: &Movies, place: Place, sheet: Page<'_, '_>) {
    match place {
        Place::Home => home(site, sheet),
        Place::Keywords => keywords(site, sheet),
        Place::Keyword(tag, page) => {
            let name = Tags::text(&site.ground, tag);
            let films = site.keywords.slice(tag, span(page, FILMS_A_PAGE));
            films_list(site, sheet, place, &format!("Films about {name}"), films, |n| Place::Keyword(tag, n));
        }
        Place::Genre(genre, page) => {
            let films = site.genres.slice(genre, span(page, FILMS_A_PAGE)).collect();
            let name = format!("{} films", GENRES.get(genre as usize).copied().unwrap_or_default());
            films_list(site, sheet, place, &name, films, |n| Place::Genre(genre, n));
        }
        Place::Year(year, page) => {
            let films = site.years.slice(year, span(page, FILMS_A_PAGE)).collect();
            let name = format!("Released in {}", FIRST_YEAR + year);
            films_list(site, sheet, place, &name, films, |n| Place::Year(year, n));
        }
        Place::Names(letter, page) => names(site, sheet, letter, page),
        Place::Charts(page) => charts(site, sheet, page),
        Place::Chart(week) => chart(site, sheet, week),
        Place::Members(page) => users::members(site, sheet, page),
        Place::Lists(page) => users::lists(site, sheet, page),
        Place::Title(title) => film(site, sheet, title),
        Place::Credits(title) => credits(site, sheet, title),
        Place::Stills(title) => stills(site, sheet, title),
        Place::Reviews(title, page) => users::film_reviews(site, sheet, title, page),
        Place::Person(who) => person(site, sheet, who),
        Place::User(user) => users::user_profile(site, sheet, user),
        Place::UserReviews(user, page) => users::user_reviews(site, sheet, user, page),
        Place::Review(review) => users::one_review(site, sheet, review),
        Place::List(list) => users::user_list(site, sheet, list),
    }
}

pub(super) fn aside(site: &Movies, place: Place, sheet: Page<'_, '_>) {
    let dice = sheet.of("aside");
    let topic =
        site.topic(place).unwrap_or_else(|| dice.of("topic").below(site.ground.topic_count()) as usize);
    let films = draws(dice, 8, |dice| site.titles.draw(topic, dice));
    sheet.side_links("Now in cinemas", films.into_iter().map(|t| (Place::Title(t), site.film_name(t))));
    if dice.of("faces").chance(0.6) {
        let people = draws(dice.of("people"), 7, |dice| site.people.draw(topic, dice));
        sheet
            .side_links("Popular faces", people.into_iter().map(|p| (Place::Person(p), site.person_name(p))));
    }
    if dice.of("said").chance(0.7) {
        let reviews = draws(dice.of("said"), 3, |dice| site.reviews.draw(topic, dice));
        sheet.side_links("Members say", reviews.into_iter().map(|r| (Place::Review(r), site.review_name(r))));
    }
    if dice.of("decades").chance(0.4) {
        let years = (0..5).map(|n| dice.at(n).below(YEARS));
        sheet.side_links("By year", years.map(|y| (Place::Year(y, 1), (FIRST_YEAR + y).to_string())));
    }
}

fn home(site: &Movies, sheet: Page<'_, '_>) {
    sheet.begin(&Head { about: "Films, people, box office", ..Head::plain("Welcome") });
    let dice = sheet.of("home");
    sheet.heading("Opening this week");
    film_cards(site, sheet, draws(dice, 12, |dice| site.titles.draw(dice.of("t").below(9) as usize, dice)));
    sheet.heading("Browse");
    let genres = (0u64..).zip(GENRES).map(|(g, name)| (Place::Genre(g, 1), name.to_owned())).collect();
    let years = (0..YEARS).map(|y| (Place::Year(y, 1), (FIRST_YEAR + y).to_string())).collect();
    sheet.facts("browse", vec![("Genres", Fact::Links(genres)), ("Years", Fact::Links(years))]);
    sheet.heading("Community");
    let latest = draws(dice.of("latest"), 10, |dice| Some(dice.below(site.reviews.len())));
    users::review_rows(site, sheet, latest, true);
    sheet.html.open("p", &[("class", "community")]);
    sheet.link(Place::Members(1), "All members", "");
    sheet.link(Place::Lists(1), "Lists by members", "");
    sheet.html.close("p");
    sheet.end();
}

fn keywords(site: &Movies, sheet: Page<'_, '_>) {
    sheet.begin(&Head::under("Keywords", Place::Home, "Home"));
    for topic in 0..site.ground.topic_count() {
        sheet.heading(site.ground.label(topic as usize));
        sheet.html.open("div", &[("class", "cloud")]);
        for tag in site.keywords.all().filter(|tag| tag.topic == topic) {
            sheet.link(Place::Keyword(tag, 1), Tags::text(&site.ground, tag), "kw");
        }
        sheet.html.close("div");
    }
    sheet.end();
}

fn films_list(
    site: &Movies,
    sheet: Page<'_, '_>,
    place: Place,
    name: &str,
    films: Vec<u64>,
    page: impl Fn(u64) -> Place,
) {
    sheet.begin(&Head::under(name, Place::Home, "Films"));
    if films.is_empty() {
        sheet.notice("No film here yet.");
    } else {
        film_cards(site, sheet, films);
    }
    sheet.pager_of(place.page().unwrap_or(1), site.last_page(place), page);
    sheet.end();
}

fn film_cards(site: &Movies, sheet: Page<'_, '_>, films: Vec<u64>) {
    sheet.roll("films", films, |sheet, title| {
        let (name, dice) = (site.film_name(title), site.dice("film", title));
        if sheet.theme != Theme::Old {
            sheet.thumb(Place::Title(title), &format!("poster/{title}"), &name);
        }
        sheet.html.open("h3", &[]);
        sheet.link(Place::Title(title), &name, "film");
        sheet.html.close("h3");
        sheet.html.element("span", &[("class", "year")], &site.year(title).to_string());
        sheet.stars(dice.of("stars").between(28, 91));
        for who in site.cast.parents(title).into_iter().take(2) {
            sheet.link(Place::Person(who), &site.person_name(who), "with");
        }
        // the newest review is quoted where there is room for it
        let newest = site.reviewed.children(title).get(0).filter(|_| dice.of("quoted").chance(0.6));
        if let Some(review) = newest {
            sheet.html.open("q", &[]);
            sheet.link(Place::Review(review), &site.review_name(review), "quote");
            sheet.html.close("q");
        }
    });
}

fn names(site: &Movies, sheet: Page<'_, '_>, letter: u64, page: u64) {
    sheet.begin(&Head::under("People", Place::Home, "Home"));
    sheet.html.open("div", &[("class", "letters")]);
    for letter in 0..LETTERS {
        let name = char::from(b'A'.saturating_add(letter as u8)).to_string();
        sheet.link(Place::Names(letter, 1), &name, "letter");
    }
    sheet.html.close("div");
    sheet.html.open("ol", &[("class", "names")]);
    for who in site.letters.slice(letter, span(page, NAMES_A_PAGE)) {
        sheet.html.open("li", &[]);
        sheet.link(Place::Person(who), &site.person_name(who), "");
        sheet.html.close("li");
    }
    sheet.html.close("ol");
    sheet.pager_of(page, site.last_page(Place::Names(letter, page)), |n| Place::Names(letter, n));
    sheet.end();
}

fn charts(site: &Movies, sheet: Page<'_, '_>, page: u64) {
    sheet.begin(&Head::under("Box office", Place::Home, "Home"));
    let last = site.last_page(Place::Charts(1));
    sheet.roll("weeks", span(page, CHARTS_A_PAGE).take_while(|week| *week < site.weeks), |sheet, week| {
        sheet.link(Place::Chart(week), &format!("Week {}", week + 1), "week");
    });
    sheet.pager_of(page, last, Place::Charts);
    sheet.end();
}

fn chart(site: &Movies, sheet: Page<'_, '_>, week: u64) {
    sheet.begin(&Head::under(&format!("Box office of week {}", week + 1), Place::Charts(1), "Box office"));
    if week >= site.weeks {
        sheet.notice("No figures yet. Come back later.");
        sheet.link(Place::Chart(week + 1), "Following week", "next");
        return sheet.end();
    }
    let dice = site.dice("chart", week);
    let films = draws(dice, 20, |dice| {
        site.titles.draw(dice.of("t").below(site.ground.topic_count()) as usize, dice)
    });
    sheet
        .html
        .raw("<table class=\"chart\"><thead><tr><th>#</th><th>Film</th><th>Gross</th></tr></thead><tbody>\n");
    for (rank, title) in (1u64..).zip(films) {
        sheet.html.open("tr", &[]);
        sheet.html.element("td", &[], &rank.to_string());
        sheet.html.open("td", &[]);
        sheet.link(Place::Title(title), &site.film_name(title), "");
        sheet.html.close("td");
        let gross = dice.of("gross").at(rank).between(20_000, 9_000_000) / rank;
        sheet.html.element("td", &[("align", "right")], &format!("${gross}"));
        sheet.html.close("tr");
    }
    sheet.html.raw("</tbody></table>\n");
    let is_endless = sheet.of("endless").chance(site.ground.setting.nasty.calendars);
    if week + 1 < site.weeks || is_endless {
        sheet.link(Place::Chart(week + 1), "Following week", "next");
    }
    sheet.end();
}

fn film(site: &Movies, sheet: Page<'_, '_>, title: u64) {
    let (name, dice) = (site.film_name(title), site.dice("film", title));
    let topic = site.titles.topic(title);
    let (year, genre) = (site.year(title), site.genres.owner(title).unwrap_or(0));
    let genre_name = GENRES.get(genre as usize).copied().unwrap_or_default();
    let mut crumbs = vec![(Place::Genre(genre, 1), genre_name.to_owned())];
    crumbs.push((Place::Year(year - FIRST_YEAR, 1), year.to_string()));
    sheet.begin(&Head { title: &format!("{name} ({year})"), og_type: "video.movie", about: &name, crumbs });
    if dice.of("json").chance(0.6) {
        sheet.json_ld("Movie", &name, ("datePublished", &year.to_string()));
    }
    sheet.thumb(Place::Title(title), &format!("poster/{title}"), &name);
    sheet.stars(dice.of("stars").between(28, 91));
    let prose = site.ground.prose(topic, 0.22, dice);
    let facts = film_facts(site, sheet, title);
    sheet.facts("film-facts", facts);
    sheet.heading("Storyline");
    sheet.paragraphs(&prose, dice.of("plot"), dice.of("length").between(2, 5), 5);
    sheet.heading("Cast");
    cast_table(site, sheet, title, 6);
    film_links(site, sheet, title);
    if dice.of("trivia").chance(0.5) {
        sheet.heading("Did you know?");
        sheet.html.open("blockquote", &[("class", "trivia")]);
        sheet.paragraphs(&prose, dice.of("trivia"), 1, 2);
        sheet.html.close("blockquote");
    }
    sheet.heading("More like this");
    let near = draws(dice.of("near"), 12, |dice| site.titles.draw(topic, dice));
    sheet.html.open("div", &[("class", "more-like-this")]);
    for other in near.into_iter().filter(|other| *other != title) {
        sheet.thumb(Place::Title(other), &format!("poster/{other}"), &site.film_name(other));
    }
    sheet.html.close("div");
    sheet.end();
}

fn film_facts(site: &Movies, sheet: &Sheet<'_, Movies>, title: u64) -> Vec<(&'static str, Fact<Place>)> {
    let dice = site.dice("film", title);
    let mut tags: Vec<Tag> = site.keywords.of(title);
    if sheet.of("tag spam").chance(site.ground.setting.nasty.tag_spam) {
        let other = Tag { topic: dice.of("spam").below(site.ground.topic_count()), index: 0 };
        tags.extend(Some(other).filter(|tag| site.keywords.exists(*tag)));
    }
    let keywords =
        tags.into_iter().map(|tag| (Place::Keyword(tag, 1), Tags::text(&site.ground, tag).to_owned()));
    let mut facts = vec![
        ("Released", Fact::Text(day_of(dice.of("released")).long())),
        ("Running time", Fact::Text(format!("{} min", dice.of("minutes").between(74, 178)))),
        ("Keywords", Fact::Links(keywords.collect())),
    ];
    if dice.of("budget").chance(0.5) {
        facts.push(("Budget", Fact::Text(format!("${},000,000", dice.of("millions").between(1, 160)))));
    }
    if dice.of("director").chance(0.9) {
        let people = site.cast.parents(title).into_iter().take(1);
        facts.insert(
            0,
            ("Director", Fact::Links(people.map(|p| (Place::Person(p), site.person_name(p))).collect())),
        );
    }
    facts
}

fn cast_table(site: &Movies, sheet: Page<'_, '_>, title: u64, most: usize) {
    let people = site.cast.parents(title);
    if people.is_empty() {
        return sheet.notice("The cast is not known.");
    }
    sheet.roll("cast", people.into_iter().take(most), |sheet, who| {
        sheet.thumb(Place::Person(who), &format!("face/{who}"), "");
        sheet.link(Place::Person(who), &site.person_name(who), "actor");
        let role = site.ground.title(site.people.topic(who), site.dice("role", who).at(title));
        sheet.html.element("em", &[], &role);
    });
}

/// The ways from a film to what is below it.
fn film_links(site: &Movies, sheet: Page<'_, '_>, title: u64) {
    sheet.html.open("div", &[("class", "film-links")]);
    if site.has_credits(title) {
        sheet.link(Place::Credits(title), "Full cast and crew", "tab");
    }
    if site.has_stills(title) {
        sheet.link(Place::Stills(title), "Photo gallery", "tab");
    }
    sheet.html.close("div");
    sheet.heading("User reviews");
    let reviews = site.reviewed.children(title);
    if reviews.len() == 0 {
        sheet.notice("Nobody has reviewed this film yet.");
    } else {
        users::review_rows(site, sheet, reviews.slice(0..3).collect(), true);
        sheet.link(Place::Reviews(title, 1), &format!("See all {} reviews", reviews.len()), "more");
    }
    let lists = site.listed.children(title, 0..4);
    if !lists.is_empty() {
        let links = lists.into_iter().map(|list| (Place::List(list), site.list_name(list))).collect();
        sheet.facts("on-lists", vec![("On lists", Fact::Links(links))]);
    }
}

fn credits(site: &Movies, sheet: Page<'_, '_>, title: u64) {
    let name = site.film_name(title);
    sheet.begin(&Head::under(&format!("Full credits of {name}"), Place::Title(title), name.clone()));
    cast_table(site, sheet, title, 8);
    let dice = site.dice("crew", title);
    for (n, job) in (0u64..).zip(["Written by", "Music by", "Camera", "Editing", "Costumes"]) {
        sheet.html.element("h4", &[], job);
        let crew =
            draws(dice.at(n), 1 + dice.at(n).below(3), |d| site.people.draw(site.titles.topic(title), d));
        sheet.html.open("ul", &[("class", "crew")]);
        for who in crew {
            sheet.html.open("li", &[]);
            sheet.link(Place::Person(who), &site.person_name(who), "");
            sheet.html.close("li");
        }
        sheet.html.close("ul");
    }
    sheet.end();
}

fn stills(site: &Movies, sheet: Page<'_, '_>, title: u64) {
    let name = site.film_name(title);
    sheet.begin(&Head::under(&format!("Photos from {name}"), Place::Title(title), name.clone()));
    sheet.html.open("div", &[("class", "gallery")]);
    for still in 0..sheet.of("stills").between(6, 24) {
        sheet.html.open("figure", &[]);
        let source = format!("/media/still/{title}-{still}.jpg");
        sheet.html.open("img", &[("src", &source), ("width", "200"), ("alt", &name)]);
        sheet.html.element("figcaption", &[], &format!("Still {}", still + 1));
        sheet.html.close("figure");
    }
    sheet.html.close("div");
    sheet.link(Place::Title(title), "Back to the film", "back");
    sheet.end();
}

fn person(site: &Movies, sheet: Page<'_, '_>, who: u64) {
    let (name, dice) = (site.person_name(who), site.dice("person", who));
    let topic = site.people.topic(who);
    sheet.begin(&Head { og_type: "profile", ..Head::under(&name, Place::Names(0, 1), "People") });
    let face = format!("/media/face/{who}.jpg");
    sheet.html.open("img", &[("src", &face), ("class", "portrait"), ("alt", &name)]);
    let born = day_of(dice.of("born"));
    let mut facts = vec![
        ("Born", Fact::Text(born.long())),
        ("Height", Fact::Text(format!("1.{} m", dice.below(40) + 55))),
    ];
    if dice.of("nick").chance(0.3) {
        facts.push(("Nickname", Fact::Text(crate::text::handle(dice.of("nick")))));
    }
    sheet.facts("vitals", facts);
    sheet.heading("Biography");
    sheet.paragraphs(&site.ground.prose(topic, 0.15, dice), dice.of("bio"), dice.of("bios").between(1, 3), 5);
    sheet.heading("Filmography");
    let films = site.cast.children(who, 0..site.cast.reach(who).min(60));
    if films.is_empty() {
        sheet.notice("No films on record.");
    } else {
        sheet.html.open("ol", &[("class", "filmography")]);
        for title in films {
            sheet.html.open("li", &[]);
            sheet.html.element("b", &[], &site.year(title).to_string());
            sheet.link(Place::Title(title), &site.film_name(title), "");
            sheet.html.close("li");
        }
        sheet.html.close("ol");
    }
    sheet.end();
}
