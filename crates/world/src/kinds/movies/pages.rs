//! The pages of `movies`.

use super::super::frame::Head;
use super::super::ground::day_of;
use super::super::pieces::Fact;
use super::super::site_map::{PageId, PageKind};
use super::super::tags::Tags;
use super::super::ties::draws;
use super::super::writer::{PageWriter, Theme};
use super::{
    CHARTS_A_PAGE, FILMS_A_PAGE, FIRST_YEAR, GENRES, LETTERS, Movies, MoviesPage, NAMES_A_PAGE, YEARS, users,
};

pub(super) type Out<'a, 'b> = &'a mut PageWriter<'b, Movies>;

pub(super) fn write(site: &Movies, page: PageId<MoviesPage>, out: Out<'_, '_>) {
    let (id, films) = (page.id, out.span(FILMS_A_PAGE));
    match page.kind {
        MoviesPage::Home => home(site, out),
        MoviesPage::Keywords => keywords(site, out),
        MoviesPage::Keyword => {
            let name = format!("Films about {}", Tags::text(&site.ground, id));
            films_list(site, out, &name, site.keywords.slice(id, films));
        }
        MoviesPage::Genre => {
            let name = format!("{} films", GENRES.get(id as usize).copied().unwrap_or_default());
            films_list(site, out, &name, site.genres.slice(id, films).collect());
        }
        MoviesPage::Year => {
            let name = format!("Released in {}", FIRST_YEAR + id);
            films_list(site, out, &name, site.years.slice(id, films).collect());
        }
        MoviesPage::Names => names(site, out, id),
        MoviesPage::Charts => charts(site, out),
        MoviesPage::Chart => chart(site, out, id),
        MoviesPage::Members => users::members(site, out),
        MoviesPage::Lists => users::lists(site, out),
        MoviesPage::Title => film(site, out, id),
        MoviesPage::Credits => credits(site, out, id),
        MoviesPage::Stills => stills(site, out, id),
        MoviesPage::Reviews => users::film_reviews(site, out, id),
        MoviesPage::Person => person(site, out, id),
        MoviesPage::User => users::user_profile(site, out, id),
        MoviesPage::UserReviews => users::user_reviews(site, out, id),
        MoviesPage::Review => users::one_review(site, out, id),
        MoviesPage::List => users::user_list(site, out, id),
    }
    out.pager();
}

pub(super) fn aside(site: &Movies, out: Out<'_, '_>) {
    let dice = out.of("aside");
    let topic = out.topic_or_any(dice);
    let films = draws(dice, 8, |dice| site.titles.draw(topic, dice));
    out.side_links("Now in cinemas", films.into_iter().map(|t| (MoviesPage::Title.of(t), site.film_name(t))));
    if dice.of("faces").chance(0.6) {
        let people = draws(dice.of("people"), 7, |dice| site.people.draw(topic, dice));
        out.side_links(
            "Popular faces",
            people.into_iter().map(|p| (MoviesPage::Person.of(p), site.person_name(p))),
        );
    }
    if dice.of("said").chance(0.7) {
        let reviews = draws(dice.of("said"), 3, |dice| site.reviews.draw(topic, dice));
        out.side_links(
            "Members say",
            reviews.into_iter().map(|r| (MoviesPage::Review.of(r), site.review_name(r))),
        );
    }
    if dice.of("decades").chance(0.4) {
        let years = (0..5).map(|n| dice.at(n).below(YEARS));
        out.side_links("By year", years.map(|y| (MoviesPage::Year.of(y), (FIRST_YEAR + y).to_string())));
    }
}

fn home(site: &Movies, out: Out<'_, '_>) {
    out.begin(&Head { about: "Films, people, box office", ..Head::plain("Welcome") });
    let dice = out.of("home");
    out.heading("Opening this week");
    film_cards(site, out, draws(dice, 12, |dice| site.titles.draw(dice.of("t").below(9) as usize, dice)));
    out.heading("Browse");
    let genres = (0u64..).zip(GENRES).map(|(g, name)| (MoviesPage::Genre.of(g), name.to_owned())).collect();
    let years = (0..YEARS).map(|y| (MoviesPage::Year.of(y), (FIRST_YEAR + y).to_string())).collect();
    out.facts("browse", vec![("Genres", Fact::Links(genres)), ("Years", Fact::Links(years))]);
    out.heading("Community");
    let latest = draws(dice.of("latest"), 10, |dice| Some(dice.below(site.reviews.len())));
    users::review_rows(site, out, latest, true);
    out.open("p", "community");
    out.link(MoviesPage::Members.first(), "All members", "");
    out.link(MoviesPage::Lists.first(), "Lists by members", "");
    out.close("p");
}

fn keywords(site: &Movies, out: Out<'_, '_>) {
    out.begin(&Head::under("Keywords", MoviesPage::Home.first(), "Home"));
    for topic in 0..site.ground.topic_count() {
        out.heading(site.ground.label(topic as usize));
        out.open("div", "cloud");
        for tag in site.keywords.in_topic(topic) {
            out.link(MoviesPage::Keyword.of(tag), Tags::text(&site.ground, tag), "kw");
        }
        out.close("div");
    }
}

fn films_list(site: &Movies, out: Out<'_, '_>, name: &str, films: Vec<u64>) {
    out.begin(&Head::under(name, MoviesPage::Home.first(), "Films"));
    match films.is_empty() {
        true => out.notice("No film here yet."),
        false => film_cards(site, out, films),
    }
}

fn film_cards(site: &Movies, out: Out<'_, '_>, films: Vec<u64>) {
    out.roll("films", films, |out, title| {
        let (name, dice) = (site.film_name(title), site.dice("film", title));
        if out.theme != Theme::Old {
            out.thumb(MoviesPage::Title.of(title), &format!("poster/{title}"), &name);
        }
        out.open("h3", "");
        out.link(MoviesPage::Title.of(title), &name, "film");
        out.close("h3");
        out.element("span", "year", &site.year(title).to_string());
        out.stars(dice.of("stars").between(28, 91));
        for who in site.cast.parents(title).into_iter().take(2) {
            out.link(MoviesPage::Person.of(who), &site.person_name(who), "with");
        }
        // the newest review is quoted where there is room for it
        let newest = site.reviewed.children(title).get(0).filter(|_| dice.of("quoted").chance(0.6));
        if let Some(review) = newest {
            out.open("q", "");
            out.link(MoviesPage::Review.of(review), &site.review_name(review), "quote");
            out.close("q");
        }
    });
}

fn names(site: &Movies, out: Out<'_, '_>, letter: u64) {
    out.begin(&Head::under("People", MoviesPage::Home.first(), "Home"));
    out.open("div", "letters");
    for letter in 0..LETTERS {
        let name = char::from(b'A'.saturating_add(letter as u8)).to_string();
        out.link(MoviesPage::Names.of(letter), &name, "letter");
    }
    out.close("div");
    out.bullets("ol", "names", site.letters.slice(letter, out.span(NAMES_A_PAGE)), |out, who| {
        out.link(MoviesPage::Person.of(who), &site.person_name(who), "");
    });
}

fn charts(site: &Movies, out: Out<'_, '_>) {
    out.begin(&Head::under("Box office", MoviesPage::Home.first(), "Home"));
    out.roll("weeks", out.span(CHARTS_A_PAGE).take_while(|week| *week < site.weeks), |out, week| {
        out.link(MoviesPage::Chart.of(week), &format!("Week {}", week + 1), "week");
    });
}

fn chart(site: &Movies, out: Out<'_, '_>, week: u64) {
    out.begin(&Head::under(
        &format!("Box office of week {}", week + 1),
        MoviesPage::Charts.first(),
        "Box office",
    ));
    if week >= site.weeks {
        out.notice("No figures yet. Come back later.");
        out.link(MoviesPage::Chart.of(week + 1), "Following week", "next");
        return;
    }
    let dice = site.dice("chart", week);
    let films = draws(dice, 20, |dice| {
        site.titles.draw(dice.of("t").below(site.ground.topic_count()) as usize, dice)
    });
    out.raw("<table class=\"chart\"><thead><tr><th>#</th><th>Film</th><th>Gross</th></tr></thead><tbody>\n");
    for (rank, title) in (1u64..).zip(films) {
        out.open("tr", "");
        out.element("td", "", &rank.to_string());
        out.open("td", "");
        out.link(MoviesPage::Title.of(title), &site.film_name(title), "");
        out.close("td");
        let gross = dice.of("gross").at(rank).between(20_000, 9_000_000) / rank;
        out.html.element("td", &[("align", "right")], &format!("${gross}"));
        out.close("tr");
    }
    out.raw("</tbody></table>\n");
    let is_endless = out.of("endless").chance(site.ground.setting.nasty.calendars);
    if week + 1 < site.weeks || is_endless {
        out.link(MoviesPage::Chart.of(week + 1), "Following week", "next");
    }
}

fn film(site: &Movies, out: Out<'_, '_>, title: u64) {
    let (name, dice) = (site.film_name(title), site.dice("film", title));
    let topic = site.titles.topic(title);
    let (year, genre) = (site.year(title), site.genres.owner(title).unwrap_or(0));
    let genre_name = GENRES.get(genre as usize).copied().unwrap_or_default();
    let mut crumbs = vec![(MoviesPage::Genre.of(genre), genre_name.to_owned())];
    crumbs.push((MoviesPage::Year.of(year - FIRST_YEAR), year.to_string()));
    out.begin(&Head { title: &format!("{name} ({year})"), og_type: "video.movie", about: &name, crumbs });
    if dice.of("json").chance(0.6) {
        out.json_ld("Movie", &name, ("datePublished", &year.to_string()));
    }
    out.thumb(MoviesPage::Title.of(title), &format!("poster/{title}"), &name);
    out.stars(dice.of("stars").between(28, 91));
    let prose = site.ground.prose(topic, 0.22, dice);
    let facts = film_facts(site, out, title);
    out.facts("film-facts", facts);
    out.heading("Storyline");
    out.paragraphs(&prose, dice.of("plot"), dice.of("length").between(2, 5), 5);
    out.heading("Cast");
    cast_table(site, out, title, 6);
    film_links(site, out, title);
    if dice.of("trivia").chance(0.5) {
        out.heading("Did you know?");
        out.open("blockquote", "trivia");
        out.paragraphs(&prose, dice.of("trivia"), 1, 2);
        out.close("blockquote");
    }
    out.heading("More like this");
    let near = draws(dice.of("near"), 12, |dice| site.titles.draw(topic, dice));
    out.open("div", "more-like-this");
    for other in near.into_iter().filter(|other| *other != title) {
        out.thumb(MoviesPage::Title.of(other), &format!("poster/{other}"), &site.film_name(other));
    }
    out.close("div");
}

fn film_facts(
    site: &Movies,
    out: &PageWriter<'_, Movies>,
    title: u64,
) -> Vec<(&'static str, Fact<MoviesPage>)> {
    let dice = site.dice("film", title);
    let mut tags = site.keywords.of(title);
    if out.of("tag spam").chance(site.ground.setting.nasty.tag_spam) {
        tags.extend(site.keywords.first_of(dice.of("spam").below(site.ground.topic_count())));
    }
    let keywords =
        tags.into_iter().map(|tag| (MoviesPage::Keyword.of(tag), Tags::text(&site.ground, tag).to_owned()));
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
            (
                "Director",
                Fact::Links(people.map(|p| (MoviesPage::Person.of(p), site.person_name(p))).collect()),
            ),
        );
    }
    facts
}

fn cast_table(site: &Movies, out: Out<'_, '_>, title: u64, most: usize) {
    let people = site.cast.parents(title);
    if people.is_empty() {
        return out.notice("The cast is not known.");
    }
    out.roll("cast", people.into_iter().take(most), |out, who| {
        out.thumb(MoviesPage::Person.of(who), &format!("face/{who}"), "");
        out.link(MoviesPage::Person.of(who), &site.person_name(who), "actor");
        let role = site.ground.title(site.people.topic(who), site.dice("role", who).at(title));
        out.element("em", "", &role);
    });
}

/// The ways from a film to what is below it.
fn film_links(site: &Movies, out: Out<'_, '_>, title: u64) {
    out.open("div", "film-links");
    if site.has_credits(title) {
        out.link(MoviesPage::Credits.of(title), "Full cast and crew", "tab");
    }
    if site.has_stills(title) {
        out.link(MoviesPage::Stills.of(title), "Photo gallery", "tab");
    }
    out.close("div");
    out.heading("User reviews");
    let reviews = site.reviewed.children(title);
    if reviews.len() == 0 {
        out.notice("Nobody has reviewed this film yet.");
    } else {
        users::review_rows(site, out, reviews.slice(0..3).collect(), true);
        out.link(MoviesPage::Reviews.of(title), &format!("See all {} reviews", reviews.len()), "more");
    }
    let lists = site.listed.children(title, 0..4);
    if !lists.is_empty() {
        let links = lists.into_iter().map(|list| (MoviesPage::List.of(list), site.list_name(list))).collect();
        out.facts("on-lists", vec![("On lists", Fact::Links(links))]);
    }
}

fn credits(site: &Movies, out: Out<'_, '_>, title: u64) {
    let name = site.film_name(title);
    out.begin(&Head::under(&format!("Full credits of {name}"), MoviesPage::Title.of(title), name.clone()));
    cast_table(site, out, title, 8);
    let dice = site.dice("crew", title);
    for (n, job) in (0u64..).zip(["Written by", "Music by", "Camera", "Editing", "Costumes"]) {
        out.element("h4", "", job);
        let crew =
            draws(dice.at(n), 1 + dice.at(n).below(3), |d| site.people.draw(site.titles.topic(title), d));
        out.bullets("ul", "crew", crew, |out, who| {
            out.link(MoviesPage::Person.of(who), &site.person_name(who), "");
        });
    }
}

fn stills(site: &Movies, out: Out<'_, '_>, title: u64) {
    let name = site.film_name(title);
    out.begin(&Head::under(&format!("Photos from {name}"), MoviesPage::Title.of(title), name.clone()));
    out.open("div", "gallery");
    for still in 0..out.of("stills").between(6, 24) {
        out.open("figure", "");
        let source = format!("/media/still/{title}-{still}.jpg");
        out.html.open("img", &[("src", &source), ("width", "200"), ("alt", &name)]);
        out.element("figcaption", "", &format!("Still {}", still + 1));
        out.close("figure");
    }
    out.close("div");
    out.link(MoviesPage::Title.of(title), "Back to the film", "back");
}

fn person(site: &Movies, out: Out<'_, '_>, who: u64) {
    let (name, dice) = (site.person_name(who), site.dice("person", who));
    let topic = site.people.topic(who);
    out.begin(&Head { og_type: "profile", ..Head::under(&name, MoviesPage::Names.of(0), "People") });
    let face = format!("/media/face/{who}.jpg");
    out.html.open("img", &[("src", &face), ("class", "portrait"), ("alt", &name)]);
    let born = day_of(dice.of("born"));
    let mut facts = vec![
        ("Born", Fact::Text(born.long())),
        ("Height", Fact::Text(format!("1.{} m", dice.below(40) + 55))),
    ];
    if dice.of("nick").chance(0.3) {
        facts.push(("Nickname", Fact::Text(crate::text::handle(dice.of("nick")))));
    }
    out.facts("vitals", facts);
    out.heading("Biography");
    out.paragraphs(&site.ground.prose(topic, 0.15, dice), dice.of("bio"), dice.of("bios").between(1, 3), 5);
    out.heading("Filmography");
    let films = site.cast.children(who, 0..site.cast.reach(who).min(60));
    if films.is_empty() {
        out.notice("No films on record.");
    } else {
        out.bullets("ol", "filmography", films, |out, title| {
            out.element("b", "", &site.year(title).to_string());
            out.link(MoviesPage::Title.of(title), &site.film_name(title), "");
        });
    }
}
