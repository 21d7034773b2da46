//! The pages of `video`.

use crate::Dice;

use super::super::frame::Head;
use super::super::ground::{Day, day_of};
use super::super::pieces::{Fact, span};
use super::super::sheet::{Sheet, Theme};
use super::super::tags::{Tag, Tags};
use super::super::ties::draws;
use super::{
    COUNTRIES, Clip, EPISODES_A_SEASON, FIRST_DAY, NAMES_A_PAGE, Place, VIDEOS_A_PAGE, Video, users,
};

pub(super) type Page<'a, 'b> = &'a mut Sheet<'b, Video>;

pub(super) fn write(site: &Video, place: Place, sheet: Page<'_, '_>) {
    match place {
        Place::Home => home(site, sheet),
        Place::Watch(Clip::Video(video)) => users::watch_video(site, sheet, video),
        Place::Watch(Clip::Episode(episode)) => watch_episode(site, sheet, episode),
        Place::Insight(clip) => insight(site, sheet, clip),
        Place::Comments(video, page) => users::comments(site, sheet, video, page),
        Place::Transcript(episode) => transcript(site, sheet, episode),
        Place::Channel(channel) => users::channel_page(site, sheet, channel),
        Place::Uploads(channel, page) => users::uploads(site, sheet, channel, page),
        Place::Playlist(playlist) => users::playlist_page(site, sheet, playlist),
        Place::Category(topic, page) => category(site, sheet, topic, page),
        Place::Tag(tag, page) => tagged(site, sheet, tag, page),
        Place::Show(show) => show_page(site, sheet, show),
        Place::Season(show, season) => season_page(site, sheet, show, season),
        Place::Shows(page) => shows(site, sheet, page),
        Place::Channels(page) => users::channels(site, sheet, page),
        Place::Playlists(page) => users::playlists(site, sheet, page),
        Place::Chart(country, day) => chart(site, sheet, country, day),
    }
}

pub(super) fn aside(site: &Video, place: Place, sheet: Page<'_, '_>) {
    let dice = sheet.of("aside");
    let topic =
        site.topic(place).unwrap_or_else(|| dice.of("topic").below(site.ground.topic_count()) as usize);
    if let Place::Watch(clip) = place {
        return related(site, sheet, clip, dice);
    }
    let shows = draws(dice, 10, |dice| site.shows.draw(topic, dice));
    sheet.side_links("Popular shows", shows.into_iter().map(|s| (Place::Show(s), site.show_name(s))));
    if dice.of("spotlight").chance(0.4) {
        let videos =
            draws(dice.of("spot"), 3, |dice| site.videos.draw(topic, dice)).into_iter().map(Clip::Video);
        sheet.side_links("Spotlight", videos.map(|clip| (Place::Watch(clip), site.clip_name(clip))));
    }
    if dice.of("all").chance(0.3) {
        let topics = (0..6).map(|n| dice.of("category").at(n).below(site.ground.topic_count()));
        sheet.side_links(
            "Explore",
            topics.map(|t| (Place::Category(t, 1), site.ground.label(t as usize).to_owned())),
        );
    }
}

/// What to watch next: of the studios and of the users, mostly of the same topic.
fn related(site: &Video, sheet: Page<'_, '_>, clip: Clip, dice: Dice) {
    let topic = |dice: Dice| match dice.of("stray").chance(0.2) {
        true => dice.of("topic").below(site.ground.topic_count()) as usize,
        false => site.clip_topic(clip),
    };
    let episodes =
        draws(dice.of("e"), 14, |dice| site.episodes.draw(topic(dice), dice)).into_iter().map(Clip::Episode);
    let videos =
        draws(dice.of("v"), 6, |dice| site.videos.draw(topic(dice), dice)).into_iter().map(Clip::Video);
    sheet.html.element("h4", &[], "Up next");
    let others: Vec<Clip> = episodes.chain(videos).filter(|other| *other != clip).collect();
    sheet.roll("related", others, |sheet, other| {
        sheet.thumb(Place::Watch(other), &picture(site, other), "");
        sheet.link(Place::Watch(other), &site.clip_name(other), "title");
        sheet.html.element("span", &[("class", "time")], &length(site, other));
    });
}

pub(super) fn picture(site: &Video, clip: Clip) -> String {
    format!("vi/{}", site.clip_number(clip))
}

pub(super) fn length(site: &Video, clip: Clip) -> String {
    let dice = site.clip_dice(clip).of("length");
    match clip {
        Clip::Video(_) => format!("{}:{:02}", dice.long_tail(4.0, 59), dice.at(1).below(60)),
        Clip::Episode(_) => format!("{}:{:02}", dice.between(21, 58), dice.at(1).below(60)),
    }
}

pub(super) fn views(dice: Dice) -> String {
    format!("{} views", dice.of("views").long_tail(3000.0, 40_000_000))
}

/// A grid of clips with their owners.
pub(super) fn clips(site: &Video, sheet: Page<'_, '_>, class: &str, clips: Vec<Clip>) {
    if clips.is_empty() {
        return sheet.notice("There is nothing to watch here.");
    }
    sheet.roll(class, clips, |sheet, clip| {
        sheet.thumb(Place::Watch(clip), &picture(site, clip), "");
        sheet.html.open("div", &[("class", "info")]);
        sheet.link(Place::Watch(clip), &site.clip_name(clip), "title");
        sheet.html.element("span", &[("class", "views")], &views(site.clip_dice(clip)));
        if let Some((owner, name)) = owner(site, clip).filter(|_| sheet.theme != Theme::Old) {
            sheet.link(owner, &name, "owner");
        }
        sheet.html.close("div");
    });
}

fn owner(site: &Video, clip: Clip) -> Option<(Place, String)> {
    match clip {
        Clip::Video(v) => site.uploaders.parent(v).map(|c| (Place::Channel(c), site.channel_name(c))),
        Clip::Episode(e) => site.studios.parent(e).map(|s| (Place::Show(s), site.show_name(s))),
    }
}

fn home(site: &Video, sheet: Page<'_, '_>) {
    sheet.begin(&Head { about: "Watch shows and videos", ..Head::plain("Watch now") });
    for topic in 0..site.ground.topic_count().min(8) {
        sheet.heading(site.ground.label(topic as usize));
        let dice = sheet.of("row").at(topic);
        let episodes =
            draws(dice, 4, |dice| site.episodes.draw(topic as usize, dice)).into_iter().map(Clip::Episode);
        let videos = draws(dice.of("v"), 2, |dice| site.videos.draw(topic as usize, dice))
            .into_iter()
            .map(Clip::Video);
        clips(site, sheet, "row", episodes.chain(videos).collect());
        sheet.link(Place::Category(topic, 1), "See all", "more");
    }
    sheet.html.open("div", &[("class", "directory")]);
    for topic in 0..site.ground.topic_count() {
        sheet.link(Place::Category(topic, 1), site.ground.label(topic as usize), "cat");
    }
    sheet.link(Place::Channels(1), "Channels", "dir");
    sheet.link(Place::Playlists(1), "Playlists", "dir");
    sheet.html.close("div");
    sheet.end();
}

pub(super) fn player(site: &Video, sheet: Page<'_, '_>, clip: Clip) {
    sheet.html.open("div", &[("class", sheet.by_theme("player", "movie_player", "flash"))]);
    let still = format!("/media/{}.jpg", picture(site, clip));
    match sheet.theme {
        Theme::New => sheet.html.raw(&format!("<video controls poster=\"{still}\"></video>\n")),
        _ => sheet
            .html
            .raw("<object width=\"480\" height=\"385\"><embed src=\"/media/player.swf\"></object>\n"),
    }
    sheet.html.close("div");
}

fn watch_episode(site: &Video, sheet: Page<'_, '_>, episode: u64) {
    let (clip, dice, topic) =
        (Clip::Episode(episode), site.dice("episode", episode), site.episodes.topic(episode));
    let name = site.clip_name(clip);
    let show = site.studios.parent(episode);
    let crumbs = show.map(|show| (Place::Show(show), site.show_name(show))).into_iter().collect();
    sheet.begin(&Head { title: &name, og_type: "video.episode", about: &name, crumbs });
    player(site, sheet, clip);
    sheet.json_ld("TVEpisode", &name, ("datePublished", &day_of(dice.of("day")).iso()));
    sheet.html.open("section", &[("class", "episode-box")]);
    let mut facts = vec![
        ("First shown", Fact::Text(day_of(dice.of("day")).long())),
        ("Length", Fact::Text(length(site, clip))),
        (
            "Rating",
            Fact::Text(
                dice.of("rating").pick(&["TV-G", "TV-PG", "TV-14"]).copied().unwrap_or_default().to_owned(),
            ),
        ),
    ];
    if let Some(show) = show {
        let season = 1 + site.studios.children(show).index_of(episode).unwrap_or(0) / EPISODES_A_SEASON;
        facts.push(("Season", Fact::Links(vec![(Place::Season(show, season), format!("Season {season}"))])));
    }
    sheet.facts("episode-facts", facts);
    sheet.paragraphs(&site.ground.prose(topic, 0.2, dice), dice.of("text"), dice.of("n").between(1, 3), 5);
    sheet.html.close("section");
    sheet.html.open("ul", &[("class", "episode-tools")]);
    if site.has_transcript(episode) {
        sheet.html.open("li", &[]);
        sheet.link(Place::Transcript(episode), "Transcript", "tool");
        sheet.html.close("li");
    }
    if site.has_insight(clip) {
        sheet.html.open("li", &[]);
        sheet.link(Place::Insight(clip), "Audience", "tool");
        sheet.html.close("li");
    }
    sheet.html.close("ul");
    sheet.html.element(
        "p",
        &[("class", "rights")],
        "All rights reserved by the studio. Not available everywhere.",
    );
    sheet.end();
}

fn insight(site: &Video, sheet: Page<'_, '_>, clip: Clip) {
    let (name, dice) = (site.clip_name(clip), site.clip_dice(clip).of("insight"));
    sheet.begin(&Head::under(&format!("Statistics: {name}"), Place::Watch(clip), name.clone()));
    sheet.html.raw("<table class=\"stats\"><caption>Views by country</caption>\n");
    for row in 0..dice.of("rows").between(8, 20) {
        let dice = dice.at(row);
        let country = dice.pick(&COUNTRIES).copied().unwrap_or_default();
        let (views, share) = (dice.of("v").long_tail(900.0, 90_000), dice.of("s").below(100));
        sheet.html.raw(&format!("<tr><th>{country}</th><td>{views}</td><td>{share} %</td></tr>\n"));
    }
    sheet.html.raw("</table>\n");
    sheet.link(Place::Watch(clip), "Back to the video", "back");
    sheet.end();
}

fn transcript(site: &Video, sheet: Page<'_, '_>, episode: u64) {
    let name = site.clip_name(Clip::Episode(episode));
    sheet.begin(&Head::under(
        &format!("Transcript of {name}"),
        Place::Watch(Clip::Episode(episode)),
        name.clone(),
    ));
    let dice = site.dice("transcript", episode);
    let prose = site.ground.prose(site.episodes.topic(episode), 0.18, dice);
    sheet.html.open("dl", &[("class", "transcript")]);
    let mut text = String::new();
    for line in 0..dice.of("lines").between(20, 70) {
        text.clear();
        prose.sentence(dice.at(line), &mut text);
        sheet.html.element("dt", &[], &format!("{:02}:{:02}", line / 2, (line % 2) * 30));
        sheet.html.element("dd", &[], &text);
    }
    sheet.html.close("dl");
    sheet.end();
}

fn category(site: &Video, sheet: Page<'_, '_>, topic: u64, page: u64) {
    sheet.begin(&Head::under(site.ground.label(topic as usize), Place::Home, "Home"));
    let (episodes, videos) = (site.episodes.range(topic as usize), site.videos.range(topic as usize));
    let range = span(page, VIDEOS_A_PAGE / 2);
    let episodes =
        range.clone().map(|n| episodes.start + n).take_while(|e| *e < episodes.end).map(Clip::Episode);
    let videos = range.map(|n| videos.start + n).take_while(|v| *v < videos.end).map(Clip::Video);
    sheet.heading("From our partners");
    clips(site, sheet, "grid", episodes.collect());
    sheet.heading("From everyone");
    clips(site, sheet, "grid", videos.collect());
    sheet.pager_of(page, site.last_page(Place::Category(topic, 1)), |n| Place::Category(topic, n));
    sheet.html.open("div", &[("class", "cloud")]);
    for tag in site.tags.all().filter(|tag| tag.topic == topic) {
        sheet.link(Place::Tag(tag, 1), Tags::text(&site.ground, tag), "tag");
    }
    sheet.html.close("div");
    sheet.end();
}

fn tagged(site: &Video, sheet: Page<'_, '_>, tag: Tag, page: u64) {
    let crumb = site.ground.label(tag.topic as usize);
    let title = format!("Tagged {}", Tags::text(&site.ground, tag));
    sheet.begin(&Head::under(&title, Place::Category(tag.topic, 1), crumb));
    let videos = site.tags.slice(tag, span(page, VIDEOS_A_PAGE)).into_iter().map(Clip::Video).collect();
    clips(site, sheet, "tagged", videos);
    sheet.pager_of(page, site.last_page(Place::Tag(tag, 1)), |n| Place::Tag(tag, n));
    sheet.end();
}

fn show_page(site: &Video, sheet: Page<'_, '_>, show: u64) {
    let (name, dice) = (site.show_name(show), site.dice("show", show));
    sheet.begin(&Head { og_type: "video.tv_show", ..Head::under(&name, Place::Shows(1), "Shows") });
    sheet.html.open("div", &[("class", "billboard")]);
    let picture = format!("/media/show/{show}.jpg");
    sheet.html.open("img", &[("src", &picture), ("alt", &name)]);
    sheet.paragraphs(&site.ground.prose(site.shows.topic(show), 0.2, dice), dice.of("text"), 2, 3);
    sheet.html.close("div");
    let seasons = site.last_page(Place::Season(show, 1));
    if seasons == 0 {
        sheet.notice("Coming soon.");
    }
    sheet.html.open("ul", &[("class", "seasons")]);
    for season in 1..=seasons {
        sheet.html.open("li", &[]);
        sheet.link(Place::Season(show, season), &format!("Season {season}"), "season");
        sheet.html.close("li");
    }
    sheet.html.close("ul");
    sheet.end();
}

fn season_page(site: &Video, sheet: Page<'_, '_>, show: u64, season: u64) {
    let name = site.show_name(show);
    sheet.begin(&Head::under(&format!("{name}, season {season}"), Place::Show(show), name.clone()));
    sheet.html.raw("<table class=\"episodes\"><tr><th>No</th><th>Title</th><th>Length</th></tr>\n");
    let range = span(season, EPISODES_A_SEASON);
    for (number, episode) in (1u64..).zip(site.studios.children(show).slice(range)) {
        let clip = Clip::Episode(episode);
        sheet.html.raw(&format!("<tr><td>{number}</td><td>"));
        sheet.link(Place::Watch(clip), &site.clip_name(clip), "episode");
        sheet.html.raw(&format!("</td><td>{}</td></tr>\n", length(site, clip)));
    }
    sheet.html.raw("</table>\n");
    let last = site.last_page(Place::Season(show, 1));
    sheet.pager_of(season, last, |n| Place::Season(show, n));
    sheet.end();
}

fn shows(site: &Video, sheet: Page<'_, '_>, page: u64) {
    sheet.begin(&Head::under("Shows", Place::Home, "Home"));
    let shows: Vec<u64> = span(page, NAMES_A_PAGE).take_while(|show| *show < site.shows.len()).collect();
    sheet.roll("show-grid", shows, |sheet, show| {
        sheet.thumb(Place::Show(show), &format!("show/{show}"), "");
        sheet.link(Place::Show(show), &site.show_name(show), "show");
    });
    sheet.pager_of(page, site.last_page(Place::Shows(1)), Place::Shows);
    sheet.end();
}

fn chart(site: &Video, sheet: Page<'_, '_>, country: usize, day: u64) {
    let when = Day(FIRST_DAY.saturating_add(day));
    sheet.begin(&Head::under(&format!("Most watched on {}", when.long()), Place::Home, "Home"));
    sheet.html.open("div", &[("class", "countries")]);
    for (other, name) in COUNTRIES.iter().enumerate() {
        sheet.link(Place::Chart(other, day.min(site.days.saturating_sub(1))), name, "flag");
    }
    sheet.html.close("div");
    if day >= site.days {
        sheet.notice("Nothing has been watched yet.");
    } else {
        let dice = site.dice("chart", day).at(country as u64);
        let topic = |dice: Dice| dice.of("t").below(site.ground.topic_count()) as usize;
        let shown =
            draws(dice, 14, |dice| site.episodes.draw(topic(dice), dice)).into_iter().map(Clip::Episode);
        let liked =
            draws(dice.of("v"), 6, |dice| site.videos.draw(topic(dice), dice)).into_iter().map(Clip::Video);
        clips(site, sheet, "top", shown.chain(liked).collect());
    }
    if day > 0 {
        sheet.link(Place::Chart(country, day - 1), "Day before", "prev");
    }
    if day + 1 < site.days || site.ground.setting.nasty.calendars > 0.0 {
        sheet.link(Place::Chart(country, day + 1), "Day after", "next");
    }
    sheet.end();
}
