//! The pages of `video`.

use crate::Dice;

use super::super::frame::Head;
use super::super::ground::{Day, day_of};
use super::super::pieces::Fact;
use super::super::plan::Plan;
use super::super::site_map::{PageId, PageKind};
use super::super::tags::Tags;
use super::super::ties::draws;
use super::super::writer::{PageWriter, Theme};
use super::{
    COUNTRIES, Clip, EPISODES_A_SEASON, FIRST_DAY, NAMES_A_PAGE, VIDEOS_A_PAGE, Video, VideoPage, users,
};

pub(super) type Out<'a, 'b> = &'a mut PageWriter<'b, Video>;

pub(super) fn write(site: &Video, page: PageId<VideoPage>, out: Out<'_, '_>) {
    let id = page.id;
    match page.kind {
        VideoPage::Home => home(site, out),
        VideoPage::Video => users::watch_video(site, out, id),
        VideoPage::Episode => watch_episode(site, out, id),
        VideoPage::VideoInsight => insight(site, out, Clip::Video(id)),
        VideoPage::EpisodeInsight => insight(site, out, Clip::Episode(id)),
        VideoPage::Comments => users::comments(site, out, id),
        VideoPage::Transcript => transcript(site, out, id),
        VideoPage::Channel => users::channel_page(site, out, id),
        VideoPage::Uploads => users::uploads(site, out, id),
        VideoPage::Playlist => users::playlist_page(site, out, id),
        VideoPage::Category => category(site, out, id),
        VideoPage::Tag => tagged(site, out, id),
        VideoPage::Show => show_page(site, out, id),
        VideoPage::Season => season_page(site, out, id, page.page),
        VideoPage::Shows => shows(site, out),
        VideoPage::Channels => users::channels(site, out),
        VideoPage::Playlists => users::playlists(site, out),
        VideoPage::Chart => chart(site, out, id),
    }
    // the tags of a category come after its pager
    if page.kind != VideoPage::Category {
        out.pager();
    }
}

pub(super) fn aside(site: &Video, out: Out<'_, '_>) {
    let dice = out.of("aside");
    let topic = out.topic_or_any(dice);
    match out.page.kind {
        VideoPage::Video => return related(site, out, Clip::Video(out.page.id), dice),
        VideoPage::Episode => return related(site, out, Clip::Episode(out.page.id), dice),
        _ => {}
    }
    let shows = draws(dice, 10, |dice| site.shows.draw(topic, dice));
    out.side_links("Popular shows", shows.into_iter().map(|s| (VideoPage::Show.of(s), site.show_name(s))));
    if dice.of("spotlight").chance(0.4) {
        let videos =
            draws(dice.of("spot"), 3, |dice| site.videos.draw(topic, dice)).into_iter().map(Clip::Video);
        out.side_links("Spotlight", videos.map(|clip| (Video::watch(clip), site.clip_name(clip))));
    }
    if dice.of("all").chance(0.3) {
        let topics = (0..6).map(|n| dice.of("category").at(n).below(site.ground.topic_count()));
        out.side_links(
            "Explore",
            topics.map(|t| (VideoPage::Category.of(t), site.ground.label(t as usize).to_owned())),
        );
    }
}

/// What to watch next: of the studios and of the users, mostly of the same topic.
fn related(site: &Video, out: Out<'_, '_>, clip: Clip, dice: Dice) {
    let topic = |dice: Dice| match dice.of("stray").chance(0.2) {
        true => dice.of("topic").below(site.ground.topic_count()) as usize,
        false => site.clip_topic(clip),
    };
    let episodes =
        draws(dice.of("e"), 14, |dice| site.episodes.draw(topic(dice), dice)).into_iter().map(Clip::Episode);
    let videos =
        draws(dice.of("v"), 6, |dice| site.videos.draw(topic(dice), dice)).into_iter().map(Clip::Video);
    out.element("h4", "", "Up next");
    let others: Vec<Clip> = episodes.chain(videos).filter(|other| *other != clip).collect();
    out.roll("related", others, |out, other| {
        out.thumb(Video::watch(other), &picture(site, other), "");
        out.link(Video::watch(other), &site.clip_name(other), "title");
        out.element("span", "time", &length(site, other));
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
pub(super) fn clips(site: &Video, out: Out<'_, '_>, class: &str, clips: Vec<Clip>) {
    if clips.is_empty() {
        return out.notice("There is nothing to watch here.");
    }
    out.roll(class, clips, |out, clip| {
        out.thumb(Video::watch(clip), &picture(site, clip), "");
        out.open("div", "info");
        out.link(Video::watch(clip), &site.clip_name(clip), "title");
        out.element("span", "views", &views(site.clip_dice(clip)));
        if let Some((owner, name)) = owner(site, clip).filter(|_| out.theme != Theme::Old) {
            out.link(owner, &name, "owner");
        }
        out.close("div");
    });
}

fn owner(site: &Video, clip: Clip) -> Option<(PageId<VideoPage>, String)> {
    match clip {
        Clip::Video(v) => site.uploaders.parent(v).map(|c| (VideoPage::Channel.of(c), site.channel_name(c))),
        Clip::Episode(e) => site.studios.parent(e).map(|s| (VideoPage::Show.of(s), site.show_name(s))),
    }
}

fn home(site: &Video, out: Out<'_, '_>) {
    out.begin(&Head { about: "Watch shows and videos", ..Head::plain("Watch now") });
    for topic in 0..site.ground.topic_count().min(8) {
        out.heading(site.ground.label(topic as usize));
        let dice = out.of("row").at(topic);
        let episodes =
            draws(dice, 4, |dice| site.episodes.draw(topic as usize, dice)).into_iter().map(Clip::Episode);
        let videos = draws(dice.of("v"), 2, |dice| site.videos.draw(topic as usize, dice))
            .into_iter()
            .map(Clip::Video);
        clips(site, out, "row", episodes.chain(videos).collect());
        out.link(VideoPage::Category.of(topic), "See all", "more");
    }
    out.open("div", "directory");
    for topic in 0..site.ground.topic_count() {
        out.link(VideoPage::Category.of(topic), site.ground.label(topic as usize), "cat");
    }
    out.link(VideoPage::Channels.first(), "Channels", "dir");
    out.link(VideoPage::Playlists.first(), "Playlists", "dir");
    out.close("div");
}

pub(super) fn player(site: &Video, out: Out<'_, '_>, clip: Clip) {
    out.open("div", out.by_theme("player", "movie_player", "flash"));
    let still = format!("/media/{}.jpg", picture(site, clip));
    match out.theme {
        Theme::New => out.raw(&format!("<video controls poster=\"{still}\"></video>\n")),
        _ => out.raw("<object width=\"480\" height=\"385\"><embed src=\"/media/player.swf\"></object>\n"),
    }
    out.close("div");
}

fn watch_episode(site: &Video, out: Out<'_, '_>, episode: u64) {
    let (clip, dice, topic) =
        (Clip::Episode(episode), site.dice("episode", episode), site.episodes.topic(episode));
    let name = site.clip_name(clip);
    let show = site.studios.parent(episode);
    let crumbs = show.map(|show| (VideoPage::Show.of(show), site.show_name(show))).into_iter().collect();
    out.begin(&Head { title: &name, og_type: "video.episode", about: &name, crumbs });
    player(site, out, clip);
    out.json_ld("TVEpisode", &name, ("datePublished", &day_of(dice.of("day")).iso()));
    out.open("section", "episode-box");
    let mut facts = vec![
        ("First shown", Fact::Text(day_of(dice.of("day")).long())),
        ("Length", Fact::Text(length(site, clip))),
        ("Rating", Fact::Text(dice.of("rating").one_of(&["TV-G", "TV-PG", "TV-14"]).to_owned())),
    ];
    if let Some(show) = show {
        let season = 1 + site.studios.children(show).index_of(episode).unwrap_or(0) / EPISODES_A_SEASON;
        facts.push((
            "Season",
            Fact::Links(vec![(VideoPage::Season.page(show, season), format!("Season {season}"))]),
        ));
    }
    out.facts("episode-facts", facts);
    out.paragraphs(&site.ground.prose(topic, 0.2, dice), dice.of("text"), dice.of("n").between(1, 3), 5);
    out.close("section");
    out.open("ul", "episode-tools");
    if site.has_transcript(episode) {
        out.open("li", "");
        out.link(VideoPage::Transcript.of(episode), "Transcript", "tool");
        out.close("li");
    }
    if site.has_insight(clip) {
        out.open("li", "");
        out.link(Video::insight(clip), "Audience", "tool");
        out.close("li");
    }
    out.close("ul");
    out.element("p", "rights", "All rights reserved by the studio. Not available everywhere.");
}

fn insight(site: &Video, out: Out<'_, '_>, clip: Clip) {
    let (name, dice) = (site.clip_name(clip), site.clip_dice(clip).of("insight"));
    out.begin(&Head::under(&format!("Statistics: {name}"), Video::watch(clip), name.clone()));
    out.raw("<table class=\"stats\"><caption>Views by country</caption>\n");
    for row in 0..dice.of("rows").between(8, 20) {
        let dice = dice.at(row);
        let country = dice.one_of(&COUNTRIES);
        let (views, share) = (dice.of("v").long_tail(900.0, 90_000), dice.of("s").below(100));
        out.raw(&format!("<tr><th>{country}</th><td>{views}</td><td>{share} %</td></tr>\n"));
    }
    out.raw("</table>\n");
    out.link(Video::watch(clip), "Back to the video", "back");
}

fn transcript(site: &Video, out: Out<'_, '_>, episode: u64) {
    let name = site.clip_name(Clip::Episode(episode));
    out.begin(&Head::under(
        &format!("Transcript of {name}"),
        Video::watch(Clip::Episode(episode)),
        name.clone(),
    ));
    let dice = site.dice("transcript", episode);
    let prose = site.ground.prose(site.episodes.topic(episode), 0.18, dice);
    out.open("dl", "transcript");
    let mut text = String::new();
    for line in 0..dice.of("lines").between(20, 70) {
        text.clear();
        prose.sentence(dice.at(line), &mut text);
        out.element("dt", "", &format!("{:02}:{:02}", line / 2, (line % 2) * 30));
        out.element("dd", "", &text);
    }
    out.close("dl");
}

fn category(site: &Video, out: Out<'_, '_>, topic: u64) {
    out.begin(&Head::under(site.ground.label(topic as usize), VideoPage::Home.first(), "Home"));
    let (episodes, videos) = (site.episodes.range(topic as usize), site.videos.range(topic as usize));
    let range = out.span(VIDEOS_A_PAGE / 2);
    let episodes =
        range.clone().map(|n| episodes.start + n).take_while(|e| *e < episodes.end).map(Clip::Episode);
    let videos = range.map(|n| videos.start + n).take_while(|v| *v < videos.end).map(Clip::Video);
    out.heading("From our partners");
    clips(site, out, "grid", episodes.collect());
    out.heading("From everyone");
    clips(site, out, "grid", videos.collect());
    out.pager();
    out.open("div", "cloud");
    for tag in site.tags.in_topic(topic) {
        out.link(VideoPage::Tag.of(tag), Tags::text(&site.ground, tag), "tag");
    }
    out.close("div");
}

fn tagged(site: &Video, out: Out<'_, '_>, tag: u64) {
    let crumb = site.ground.label(Tags::topic(tag) as usize);
    let title = format!("Tagged {}", Tags::text(&site.ground, tag));
    out.begin(&Head::under(&title, VideoPage::Category.of(Tags::topic(tag)), crumb));
    let videos = site.tags.slice(tag, out.span(VIDEOS_A_PAGE)).into_iter().map(Clip::Video).collect();
    clips(site, out, "tagged", videos);
}

fn show_page(site: &Video, out: Out<'_, '_>, show: u64) {
    let (name, dice) = (site.show_name(show), site.dice("show", show));
    out.begin(&Head { og_type: "video.tv_show", ..Head::under(&name, VideoPage::Shows.first(), "Shows") });
    out.open("div", "billboard");
    let picture = format!("/media/show/{show}.jpg");
    out.html.open("img", &[("src", &picture), ("alt", &name)]);
    out.paragraphs(&site.ground.prose(site.shows.topic(show), 0.2, dice), dice.of("text"), 2, 3);
    out.close("div");
    let seasons = site.last_page(VideoPage::Season.of(show));
    if seasons == 0 {
        out.notice("Coming soon.");
    }
    out.bullets("ul", "seasons", 1..=seasons, |out, season| {
        out.link(VideoPage::Season.page(show, season), &format!("Season {season}"), "season");
    });
}

fn season_page(site: &Video, out: Out<'_, '_>, show: u64, season: u64) {
    let name = site.show_name(show);
    out.begin(&Head::under(&format!("{name}, season {season}"), VideoPage::Show.of(show), name.clone()));
    out.raw("<table class=\"episodes\"><tr><th>No</th><th>Title</th><th>Length</th></tr>\n");
    let range = out.span(EPISODES_A_SEASON);
    for (number, episode) in (1u64..).zip(site.studios.children(show).slice(range)) {
        let clip = Clip::Episode(episode);
        out.raw(&format!("<tr><td>{number}</td><td>"));
        out.link(Video::watch(clip), &site.clip_name(clip), "episode");
        out.raw(&format!("</td><td>{}</td></tr>\n", length(site, clip)));
    }
    out.raw("</table>\n");
}

fn shows(site: &Video, out: Out<'_, '_>) {
    out.begin(&Head::under("Shows", VideoPage::Home.first(), "Home"));
    let shows: Vec<u64> = out.span(NAMES_A_PAGE).take_while(|show| *show < site.shows.len()).collect();
    out.roll("show-grid", shows, |out, show| {
        out.thumb(VideoPage::Show.of(show), &format!("show/{show}"), "");
        out.link(VideoPage::Show.of(show), &site.show_name(show), "show");
    });
}

fn chart(site: &Video, out: Out<'_, '_>, chart: u64) {
    let (country, day) = (chart % COUNTRIES.len() as u64, chart / COUNTRIES.len() as u64);
    let when = Day(FIRST_DAY.saturating_add(day));
    out.begin(&Head::under(&format!("Most watched on {}", when.long()), VideoPage::Home.first(), "Home"));
    out.open("div", "countries");
    for (other, name) in (0..).zip(COUNTRIES) {
        out.link(Video::chart(other, day.min(site.days.saturating_sub(1))), name, "flag");
    }
    out.close("div");
    if day >= site.days {
        out.notice("Nothing has been watched yet.");
    } else {
        let dice = site.dice("chart", day).at(country);
        let topic = |dice: Dice| dice.of("t").below(site.ground.topic_count()) as usize;
        let shown =
            draws(dice, 14, |dice| site.episodes.draw(topic(dice), dice)).into_iter().map(Clip::Episode);
        let liked =
            draws(dice.of("v"), 6, |dice| site.videos.draw(topic(dice), dice)).into_iter().map(Clip::Video);
        clips(site, out, "top", shown.chain(liked).collect());
    }
    if day > 0 {
        out.link(Video::chart(country, day - 1), "Day before", "prev");
    }
    if day + 1 < site.days || site.ground.setting.nasty.calendars > 0.0 {
        out.link(Video::chart(country, day + 1), "Day after", "next");
    }
}
