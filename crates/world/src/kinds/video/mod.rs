//! `video`: what studios license and what users upload, side by side.
//!
//! Both are watched at `/watch?v=...`, and the code does not tell them apart: who wants what users made has to look at
//! the page. Shows, seasons, transcripts, insights and charts are the site's own; videos, channels, playlists and
//! comments are the users'.

mod code;
mod pages;
mod users;

use crate::Dice;
use crate::nasty::Setting;
use crate::site::Truth;
use crate::text::handle;
use osprey_model::PageType;

use super::ground::{Day, Ground};
use super::hosted::{Asked, Plan};
use super::numbering::Numbering;
use super::pieces::pages_of;
use super::sheet::Sheet;
use super::tags::{Tag, Tags};
use super::ties::{Bent, Sections, Slots, Tie};
use code::Codes;

const VIDEOS_A_PAGE: u64 = 24;
const NAMES_A_PAGE: u64 = 40;
const COMMENTS_A_PAGE: u64 = 25;
const EPISODES_A_SEASON: u64 = 13;
const COUNTRIES: [&str; 5] = ["us", "gb", "de", "fr", "jp"];

/// The day of the first chart.
const FIRST_DAY: u64 = 14_600;

/// How far charts go on after the last: without end for any crawl.
const FUTURE_DAYS: u64 = 1 << 21;

/// Something to watch.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Clip {
    /// Uploaded by a user.
    Video(u64),
    /// Part of a studio's show.
    Episode(u64),
}

/// A page of the site.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Place {
    Home,
    Watch(Clip),
    Insight(Clip),
    Comments(u64, u64),
    Transcript(u64),
    Channel(u64),
    Uploads(u64, u64),
    Playlist(u64),
    Category(u64, u64),
    Tag(Tag, u64),
    Show(u64),
    Season(u64, u64),
    Shows(u64),
    Channels(u64),
    Playlists(u64),
    /// The most watched in a country on a day, counted from the first.
    Chart(usize, u64),
}

/// The site.
pub(crate) struct Video {
    ground: Ground,
    videos: Sections,
    episodes: Sections,
    channels: Sections,
    playlists: Sections,
    shows: Sections,
    days: u64,
    row: Numbering,
    codes: Codes,
    tags: Tags,
    uploaders: Tie,
    studios: Tie,
    curators: Tie,
    queued: Slots,
    commenters: Slots,
    subscriptions: Slots,
}

impl Video {
    fn dice(&self, class: &str, member: u64) -> Dice {
        self.ground.setting.dice.of(class).at(member)
    }

    fn clip_dice(&self, clip: Clip) -> Dice {
        match clip {
            Clip::Video(v) => self.dice("video", v),
            Clip::Episode(e) => self.dice("episode", e),
        }
    }

    fn clip_topic(&self, clip: Clip) -> usize {
        match clip {
            Clip::Video(v) => self.videos.topic(v),
            Clip::Episode(e) => self.episodes.topic(e),
        }
    }

    fn clip_name(&self, clip: Clip) -> String {
        self.ground.title(self.clip_topic(clip), self.clip_dice(clip))
    }

    fn is_clip(&self, clip: Clip) -> bool {
        match clip {
            Clip::Video(v) => v < self.videos.len(),
            Clip::Episode(e) => e < self.episodes.len(),
        }
    }

    fn clip_number(&self, clip: Clip) -> u64 {
        match clip {
            Clip::Video(v) => self.row.number(0, v),
            Clip::Episode(e) => self.row.number(1, e),
        }
    }

    fn clip(&self, code: &str) -> Option<Clip> {
        let (class, member) = self.row.member(self.codes.number("v", code)?)?;
        Some(if class == 0 { Clip::Video(member) } else { Clip::Episode(member) })
    }

    fn channel_name(&self, channel: u64) -> String {
        handle(self.dice("channel", channel))
    }

    fn show_name(&self, show: u64) -> String {
        self.ground.title(self.shows.topic(show), self.dice("show", show))
    }

    fn playlist_name(&self, playlist: u64) -> String {
        self.ground.title(self.playlists.topic(playlist), self.dice("playlist", playlist))
    }

    fn has_insight(&self, clip: Clip) -> bool {
        self.clip_dice(clip).of("insight").chance(0.4)
    }

    fn has_transcript(&self, episode: u64) -> bool {
        self.dice("episode", episode).of("transcript").chance(0.3)
    }

    fn comment_count(&self, video: u64) -> u64 {
        self.dice("video", video).of("comments").long_tail(5.0, 300)
    }

    fn is_spammer(&self, channel: Option<u64>) -> bool {
        channel.is_some_and(|channel| self.ground.is_spammer(self.dice("channel", channel)))
    }

    fn is_spam(&self, place: Place) -> bool {
        match place {
            Place::Channel(channel) | Place::Uploads(channel, _) => self.is_spammer(Some(channel)),
            Place::Watch(Clip::Video(video))
            | Place::Insight(Clip::Video(video))
            | Place::Comments(video, _) => self.is_spammer(self.uploaders.parent(video)),
            Place::Playlist(playlist) => self.is_spammer(self.curators.parent(playlist)),
            _ => false,
        }
    }

    fn topic(&self, place: Place) -> Option<usize> {
        Some(match place {
            Place::Watch(clip) | Place::Insight(clip) => self.clip_topic(clip),
            Place::Comments(video, _) => self.videos.topic(video),
            Place::Transcript(episode) => self.episodes.topic(episode),
            Place::Channel(channel) | Place::Uploads(channel, _) => self.channels.topic(channel),
            Place::Playlist(playlist) => self.playlists.topic(playlist),
            Place::Category(topic, _) => topic as usize,
            Place::Tag(tag, _) => tag.topic as usize,
            Place::Show(show) | Place::Season(show, _) => self.shows.topic(show),
            _ => return None,
        })
    }

    /// The number of pages of the list that `place` is a page of; 0 if there is none.
    fn last_page(&self, place: Place) -> u64 {
        match place {
            Place::Comments(video, _) => match self.comment_count(video) {
                0..=8 => 0,
                count => pages_of(count, COMMENTS_A_PAGE),
            },
            Place::Uploads(channel, _) => match self.uploaders.children(channel).len() {
                0..=6 => 0,
                uploads => pages_of(uploads, VIDEOS_A_PAGE),
            },
            Place::Category(topic, _) => {
                let (videos, episodes) =
                    (self.videos.range(topic as usize), self.episodes.range(topic as usize));
                pages_of((videos.end - videos.start).max(episodes.end - episodes.start), VIDEOS_A_PAGE / 2)
            }
            Place::Tag(tag, _) => pages_of(self.tags.len(tag), VIDEOS_A_PAGE),
            Place::Season(show, _) => self.studios.children(show).len().div_ceil(EPISODES_A_SEASON),
            Place::Shows(_) => pages_of(self.shows.len(), NAMES_A_PAGE),
            Place::Channels(_) => pages_of(self.channels.len(), NAMES_A_PAGE),
            Place::Playlists(_) => pages_of(self.playlists.len(), NAMES_A_PAGE),
            _ => 0,
        }
    }

    fn paged(&self, place: impl Fn(u64) -> Place) -> impl Iterator<Item = Place> {
        (1..=self.last_page(place(1))).map(place)
    }
}

impl Plan for Video {
    type Place = Place;

    fn new(setting: Setting) -> Self {
        let ground = Ground::new(setting, "video", |_| 1.0);
        let dice = ground.setting.dice.of("ties");
        let (videos, episodes) = (ground.sections(0.19, 60), ground.sections(0.26, 60));
        let (channels, playlists) = (ground.sections(0.06, 20), ground.sections(0.03, 8));
        let shows = ground.sections(0.012, 6);
        let free = Bent { loyalty: 0.75, evenness: 0.5 };
        Self {
            days: ground.count(0.01, 4),
            row: Numbering::new(&[videos.len(), episodes.len()], dice.of("row")),
            codes: Codes::new(dice.of("codes")),
            tags: Tags::new(&videos, &ground, dice.of("tags")),
            uploaders: Tie::new(&videos, &channels, free, dice.of("uploaders")),
            studios: Tie::new(&episodes, &shows, Bent { loyalty: 1.0, evenness: 0.7 }, dice.of("studios")),
            curators: Tie::new(&playlists, &channels, free, dice.of("curators")),
            queued: Slots::new(&playlists, &videos, 24, 0.6, dice.of("queued")),
            commenters: Slots::new(&videos, &channels, 6, 0.55, dice.of("commenters")),
            subscriptions: Slots::new(&channels, &channels, 8, 0.6, dice.of("subscriptions")),
            ground,
            videos,
            episodes,
            channels,
            playlists,
            shows,
        }
    }

    fn ground(&self) -> &Ground {
        &self.ground
    }

    fn read(&self, asked: Asked<'_>) -> Option<Place> {
        let page = asked.page("page")?;
        let mut parts = asked.path.trim_start_matches('/').split('/');
        let (class, name, view) = (parts.next()?, parts.next().unwrap_or(""), parts.next());
        let clip = || self.clip(asked.param("v")?);
        let channel = || self.codes.number("c", name.strip_prefix("UC")?);
        let show = || self.codes.number("s", name);
        Some(match (class, view) {
            ("", None) => Place::Home,
            ("watch", None) => Place::Watch(clip()?),
            ("insight", None) => Place::Insight(clip()?),
            ("comments", None) => match clip()? {
                Clip::Video(video) => Place::Comments(video, page),
                Clip::Episode(_) => return None,
            },
            ("transcript", None) => match clip()? {
                Clip::Episode(episode) => Place::Transcript(episode),
                Clip::Video(_) => return None,
            },
            ("channel", None) => Place::Channel(channel()?),
            ("channel", Some("videos")) => Place::Uploads(channel()?, page),
            ("playlist", None) => {
                Place::Playlist(self.codes.number("p", asked.param("list")?.strip_prefix("PL")?)?)
            }
            ("videos", None) => Place::Category(name.split('-').next()?.parse().ok()?, page),
            ("tag", None) => Place::Tag(Tag::of_number(name.split('-').next()?.parse().ok()?), page),
            ("show", None) => Place::Show(show()?),
            ("show", Some(season)) => Place::Season(show()?, season.strip_prefix("season-")?.parse().ok()?),
            ("shows", None) => Place::Shows(page),
            ("channels", None) => Place::Channels(page),
            ("playlists", None) => Place::Playlists(page),
            ("charts", Some(day)) => {
                let country = COUNTRIES.iter().position(|country| *country == name)?;
                Place::Chart(country, Day::of_iso(day)?.0.checked_sub(FIRST_DAY)?)
            }
            _ => return None,
        })
    }

    fn path(&self, place: Place, out: &mut String) {
        use std::fmt::Write as _;
        let code = |class: &str, number: u64| self.codes.code(class, number);
        let watched = |clip: Clip| code("v", self.clip_number(clip));
        let slug = crate::markup::slug;
        // writing to a string cannot fail
        let _ = match place {
            Place::Home => write!(out, "/"),
            Place::Watch(clip) => write!(out, "/watch?v={}", watched(clip)),
            Place::Insight(clip) => write!(out, "/insight?v={}", watched(clip)),
            Place::Comments(video, _) => write!(out, "/comments?v={}", watched(Clip::Video(video))),
            Place::Transcript(episode) => write!(out, "/transcript?v={}", watched(Clip::Episode(episode))),
            Place::Channel(channel) => write!(out, "/channel/UC{}", code("c", channel)),
            Place::Uploads(channel, _) => write!(out, "/channel/UC{}/videos", code("c", channel)),
            Place::Playlist(playlist) => write!(out, "/playlist?list=PL{}", code("p", playlist)),
            Place::Category(topic, _) => {
                write!(out, "/videos/{topic}-{}", slug(self.ground.label(topic as usize)))
            }
            Place::Tag(tag, _) => {
                write!(out, "/tag/{}-{}", tag.number(), slug(Tags::text(&self.ground, tag)))
            }
            Place::Show(show) => write!(out, "/show/{}", code("s", show)),
            Place::Season(show, season) => write!(out, "/show/{}/season-{season}", code("s", show)),
            Place::Shows(_) => write!(out, "/shows"),
            Place::Channels(_) => write!(out, "/channels"),
            Place::Playlists(_) => write!(out, "/playlists"),
            Place::Chart(country, day) => {
                let country = COUNTRIES.get(country).copied().unwrap_or_default();
                write!(out, "/charts/{country}/{}", Day(FIRST_DAY.saturating_add(day)).iso())
            }
        };
        if let Some(page) = place.page().filter(|page| *page != 1) {
            let joint = if matches!(place, Place::Comments(..)) { '&' } else { '?' };
            let _ = write!(out, "{joint}page={page}");
        }
    }

    fn exists(&self, place: Place) -> bool {
        let is_page = |page: u64| (1..=self.last_page(place)).contains(&page);
        match place {
            Place::Home => true,
            Place::Watch(clip) => self.is_clip(clip),
            Place::Insight(clip) => self.is_clip(clip) && self.has_insight(clip),
            Place::Comments(video, page) => video < self.videos.len() && is_page(page),
            Place::Transcript(episode) => episode < self.episodes.len() && self.has_transcript(episode),
            Place::Channel(channel) => channel < self.channels.len(),
            Place::Uploads(channel, page) => channel < self.channels.len() && is_page(page),
            Place::Playlist(playlist) => playlist < self.playlists.len(),
            Place::Category(topic, page) => topic < self.ground.topic_count() && is_page(page),
            Place::Tag(tag, page) => self.tags.exists(tag) && is_page(page),
            Place::Show(show) => show < self.shows.len(),
            Place::Season(show, season) => show < self.shows.len() && is_page(season),
            Place::Shows(page) | Place::Channels(page) | Place::Playlists(page) => is_page(page),
            Place::Chart(country, day) => {
                country < COUNTRIES.len() && day < self.days.saturating_add(FUTURE_DAYS)
            }
        }
    }

    fn truth(&self, place: Place) -> Truth {
        let (page_type, template) = place.class();
        let waste = match place {
            Place::Chart(_, day) if day >= self.days => Some("calendar".to_owned()),
            place if self.is_spam(place) => Some("spam".to_owned()),
            _ => None,
        };
        let is_theirs = matches!(
            place,
            Place::Watch(Clip::Video(_)) | Place::Comments(..) | Place::Channel(_) | Place::Playlist(_)
        );
        let topic = self.topic(place).filter(|_| waste.is_none());
        Truth {
            page_type,
            template: template.to_owned(),
            user_created: is_theirs && waste.is_none(),
            topics: topic.map(|topic| self.ground.name(topic)).into_iter().collect(),
            duplicate_of: None,
            waste,
        }
    }

    fn grain(&self, place: Place) -> (&'static str, u64) {
        let number = match place {
            Place::Watch(clip) | Place::Insight(clip) => self.clip_number(clip),
            Place::Category(n, _) | Place::Comments(n, _) | Place::Transcript(n) => n,
            Place::Channel(n)
            | Place::Uploads(n, _)
            | Place::Playlist(n)
            | Place::Show(n)
            | Place::Season(n, _) => n,
            Place::Tag(tag, _) => tag.number(),
            Place::Chart(country, day) => day * COUNTRIES.len() as u64 + country as u64,
            Place::Home | Place::Shows(_) | Place::Channels(_) | Place::Playlists(_) => 0,
        };
        (place.class().1, number)
    }

    fn places(&self) -> Box<dyn Iterator<Item = Place> + '_> {
        let clips =
            (0..self.episodes.len()).map(Clip::Episode).chain((0..self.videos.len()).map(Clip::Video));
        let watched = clips.flat_map(|clip| [Place::Watch(clip), Place::Insight(clip)]);
        let transcripts = (0..self.episodes.len()).map(Place::Transcript);
        let channels = (0..self.channels.len()).map(Place::Channel);
        let playlists = (0..self.playlists.len()).map(Place::Playlist);
        let shows = (0..self.shows.len()).map(Place::Show);
        let charts = (0..COUNTRIES.len())
            .flat_map(|country| (0..self.days).map(move |day| Place::Chart(country, day)));
        let single = watched.chain(transcripts).chain(channels).chain(playlists).chain(shows).chain(charts);

        let comments = (0..self.videos.len()).flat_map(|v| self.paged(move |page| Place::Comments(v, page)));
        let uploads = (0..self.channels.len()).flat_map(|c| self.paged(move |page| Place::Uploads(c, page)));
        let categories =
            (0..self.ground.topic_count()).flat_map(|t| self.paged(move |page| Place::Category(t, page)));
        let tags = self.tags.all().flat_map(|tag| self.paged(move |page| Place::Tag(tag, page)));
        let seasons = (0..self.shows.len()).flat_map(|s| self.paged(move |season| Place::Season(s, season)));
        let indices =
            self.paged(Place::Shows).chain(self.paged(Place::Channels)).chain(self.paged(Place::Playlists));
        let lists = categories.chain(tags).chain(seasons).chain(indices).chain(uploads).chain(comments);
        let all = [Place::Home].into_iter().chain(lists).chain(single.filter(|place| self.exists(*place)));
        Box::new(all.filter(|place| !self.is_spam(*place)))
    }

    fn home(&self) -> Place {
        Place::Home
    }

    fn menu(&self) -> (&'static str, Vec<(Place, String)>) {
        let mut menu = vec![(Place::Shows(1), "Shows".to_owned()), (Place::Chart(0, 0), "Charts".to_owned())];
        let topics = (0..self.ground.topic_count()).take(7);
        menu.extend(topics.map(|t| (Place::Category(t, 1), self.ground.label(t as usize).to_owned())));
        ("Tubular", menu)
    }

    fn write(&self, place: Place, sheet: &mut Sheet<'_, Self>) {
        pages::write(self, place, sheet);
    }

    fn aside(&self, place: Place, sheet: &mut Sheet<'_, Self>) {
        pages::aside(self, place, sheet);
    }

    fn gone(&self, draw: u64) -> String {
        let number = self.row.len().saturating_add(draw);
        match draw % 5 {
            0 => format!("/channel/UC{}", self.codes.code("c", number)),
            _ => format!("/watch?v={}", self.codes.code("v", number)),
        }
    }

    fn disallowed(&self) -> &'static [&'static str] {
        &["/results", "/upload"]
    }
}

impl Place {
    fn page(self) -> Option<u64> {
        match self {
            Self::Comments(_, page)
            | Self::Uploads(_, page)
            | Self::Category(_, page)
            | Self::Tag(_, page)
            | Self::Shows(page)
            | Self::Channels(page)
            | Self::Playlists(page) => Some(page),
            _ => None,
        }
    }

    fn class(self) -> (PageType, &'static str) {
        match self {
            Self::Home => (PageType::Other, "home"),
            Self::Watch(Clip::Video(_)) => (PageType::Detail, "video"),
            Self::Watch(Clip::Episode(_)) => (PageType::Detail, "episode"),
            Self::Insight(_) => (PageType::Other, "insight"),
            Self::Comments(..) => (PageType::Other, "comments"),
            Self::Transcript(_) => (PageType::Other, "transcript"),
            Self::Channel(_) => (PageType::Profile, "channel"),
            Self::Uploads(..) => (PageType::List, "uploads"),
            Self::Playlist(_) => (PageType::List, "playlist"),
            Self::Category(..) => (PageType::List, "category"),
            Self::Tag(..) => (PageType::List, "tag"),
            Self::Show(_) => (PageType::Profile, "show"),
            Self::Season(..) => (PageType::List, "season"),
            Self::Shows(_) => (PageType::List, "shows"),
            Self::Channels(_) => (PageType::List, "channels"),
            Self::Playlists(_) => (PageType::List, "playlists"),
            Self::Chart(..) => (PageType::List, "chart"),
        }
    }
}
