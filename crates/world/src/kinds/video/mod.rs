//! `video`: licensed videos of studios and uploads of users, side by side.
//!
//! Both are at `/watch?v=...`, and the code does not distinguish them: a crawler that wants user content has to look at
//! the page. Shows, seasons, transcripts, insights and charts are the site's own; videos, channels, playlists and
//! comments are the users'.

mod code;
mod pages;
mod users;

use crate::Dice;
use crate::markup::slug;
use crate::nasty::Setting;
use crate::text::handle;

use super::ground::{Day, Ground};
use super::members::Members;
use super::numbering::Numbering;
use super::pieces::pages_of;
use super::plan::Plan;
use super::site_map::{PageId, PageKind, site_map};
use super::tags::Tags;
use super::ties::{Sections, Slots, Tie, TieShape};
use super::writer::PageWriter;
use code::Codes;

site_map! {
    /// A page of the site of videos.
    VideoPage of VideoClass
        [Once, Topic, Tag, Show, Channel, Video, Episode, Playlist, Chart]
    Once {
        Home           Other   "home"       "/";
    }
    Topic {
        Category       List    "category"   "/videos/{}";
    }
    Tag {
        Tag            List    "tag"        "/tag/{}";
    }
    Show {
        Season         List    "season"     "/show/{}/season-{page}";
    }
    Once {
        Shows          List    "shows"      "/shows";
        Channels       List    "channels"   "/channels";
        Playlists      List    "playlists"  "/playlists";
    }
    Channel {
        Uploads        List    "uploads"    "/channel/UC{}/videos";
    }
    Video {
        Comments       Other   "comments"   "/comments?v={}" users;
    }
    Episode {
        Episode        Detail  "episode"    "/watch?v={}";
        EpisodeInsight Other   "insight"    "/insight?v={}";
    }
    Video {
        Video          Detail  "video"      "/watch?v={}" users;
        VideoInsight   Other   "insight"    "/insight?v={}";
    }
    Episode {
        Transcript     Other   "transcript" "/transcript?v={}";
    }
    Channel {
        Channel        Profile "channel"    "/channel/UC{}" users;
    }
    Playlist {
        Playlist       List    "playlist"   "/playlist?list=PL{}" users;
    }
    Show {
        Show           Profile "show"       "/show/{}";
    }
    Chart {
        Chart          List    "chart"      "/charts/{country}/{}";
    }
}

const VIDEOS_A_PAGE: u64 = 24;
const NAMES_A_PAGE: u64 = 40;
const COMMENTS_A_PAGE: u64 = 25;
const EPISODES_A_SEASON: u64 = 13;
const COUNTRIES: [&str; 5] = ["us", "gb", "de", "fr", "jp"];

/// The day of the first chart.
const FIRST_DAY: u64 = 14_600;

/// How far charts continue past the last one: further than any crawl.
const FUTURE_DAYS: u64 = 1 << 21;

/// Something to watch.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Clip {
    /// Uploaded by a user.
    Video(u64),
    /// Part of a studio's show.
    Episode(u64),
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

    fn clip_number(&self, clip: Clip) -> u64 {
        match clip {
            Clip::Video(v) => self.row.number(0, v),
            Clip::Episode(e) => self.row.number(1, e),
        }
    }

    /// The page where a clip is watched.
    fn watch(clip: Clip) -> PageId<VideoPage> {
        match clip {
            Clip::Video(video) => VideoPage::Video.of(video),
            Clip::Episode(episode) => VideoPage::Episode.of(episode),
        }
    }

    /// The page of a clip's statistics.
    fn insight(clip: Clip) -> PageId<VideoPage> {
        match clip {
            Clip::Video(video) => VideoPage::VideoInsight.of(video),
            Clip::Episode(episode) => VideoPage::EpisodeInsight.of(episode),
        }
    }

    /// The chart of a country on a day, counted from the first.
    fn chart(country: u64, day: u64) -> PageId<VideoPage> {
        VideoPage::Chart.of(day * COUNTRIES.len() as u64 + country)
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
}

impl Plan for Video {
    type Page = VideoPage;
    const HOME: VideoPage = VideoPage::Home;
    const BRAND: &'static str = "Tubular";
    const ITEMS: &'static [VideoPage] = &[VideoPage::Video];
    const USERS: &'static str = "channel";
    const DISALLOWED: &'static [&'static str] = &["/results", "/upload"];

    fn new(setting: Setting) -> Self {
        let ground = Ground::new(setting, "video", |_| 1.0);
        let dice = ground.setting.dice.of("ties");
        let (videos, episodes) = (ground.sections(0.19, 60), ground.sections(0.26, 60));
        let (channels, playlists) = (ground.sections(0.06, 20), ground.sections(0.03, 8));
        let shows = ground.sections(0.012, 6);
        let free = TieShape { loyalty: 0.75, evenness: 0.5 };
        Self {
            days: ground.count(0.01, 4),
            row: Numbering::new(&[videos.len(), episodes.len()], dice.of("row")),
            codes: Codes::new(dice.of("codes")),
            tags: Tags::new(&videos, &ground, dice.of("tags")),
            uploaders: Tie::new(&videos, &channels, free, dice.of("uploaders")),
            studios: Tie::new(
                &episodes,
                &shows,
                TieShape { loyalty: 1.0, evenness: 0.7 },
                dice.of("studios"),
            ),
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

    fn class(&self, class: VideoClass) -> Members<'_> {
        match class {
            VideoClass::Once => Members::once(),
            VideoClass::Topic => Members::topics(self.ground.topic_count()),
            VideoClass::Tag => Members::tags(&self.tags),
            VideoClass::Show => Members::of(&self.shows),
            VideoClass::Channel => Members::of(&self.channels).users(),
            VideoClass::Video => Members::of(&self.videos).made_by(&self.uploaders),
            VideoClass::Episode => Members::of(&self.episodes),
            VideoClass::Playlist => Members::of(&self.playlists).made_by(&self.curators),
            VideoClass::Chart => {
                let countries = COUNTRIES.len() as u64;
                Members::count(self.days * countries).known(0..(self.days + FUTURE_DAYS) * countries)
            }
        }
    }

    /// Charts are listed country by country.
    fn listed(&self, class: VideoClass) -> Box<dyn Iterator<Item = u64> + '_> {
        let countries = if class == VideoClass::Chart { COUNTRIES.len() } else { 1 };
        let all = self.class(class).listed;
        Box::new(
            (0..countries as u64)
                .flat_map(move |country| all.clone().skip(country as usize).step_by(countries)),
        )
    }

    fn last_page(&self, page: PageId<VideoPage>) -> u64 {
        let (id, size) = (page.id, |range: std::ops::Range<u64>| range.end - range.start);
        match page.kind {
            VideoPage::Comments => match self.comment_count(id) {
                0..=8 => 0,
                count => pages_of(count, COMMENTS_A_PAGE),
            },
            VideoPage::Uploads => match self.uploaders.children(id).len() {
                0..=6 => 0,
                uploads => pages_of(uploads, VIDEOS_A_PAGE),
            },
            VideoPage::Category => {
                let (videos, episodes) = (self.videos.range(id as usize), self.episodes.range(id as usize));
                pages_of(size(videos).max(size(episodes)), VIDEOS_A_PAGE / 2)
            }
            VideoPage::Tag => pages_of(self.tags.len(id), VIDEOS_A_PAGE),
            VideoPage::Season => self.studios.children(id).len().div_ceil(EPISODES_A_SEASON),
            VideoPage::Shows => pages_of(self.shows.len(), NAMES_A_PAGE),
            VideoPage::Channels => pages_of(self.channels.len(), NAMES_A_PAGE),
            VideoPage::Playlists => pages_of(self.playlists.len(), NAMES_A_PAGE),
            VideoPage::VideoInsight => u64::from(self.has_insight(Clip::Video(id))),
            VideoPage::EpisodeInsight => u64::from(self.has_insight(Clip::Episode(id))),
            VideoPage::Transcript => u64::from(self.has_transcript(id)),
            _ => 1,
        }
    }

    fn write_id(&self, kind: VideoPage, id: u64, out: &mut String) {
        out.push_str(&match kind.row().class {
            VideoClass::Video => self.codes.code("v", self.clip_number(Clip::Video(id))),
            VideoClass::Episode => self.codes.code("v", self.clip_number(Clip::Episode(id))),
            VideoClass::Channel => self.codes.code("c", id),
            VideoClass::Playlist => self.codes.code("p", id),
            VideoClass::Show => self.codes.code("s", id),
            VideoClass::Tag => Tags::address(&self.ground, id),
            VideoClass::Chart => Day(FIRST_DAY.saturating_add(id / COUNTRIES.len() as u64)).iso(),
            _ => format!("{id}-{}", slug(self.ground.label(id as usize))),
        });
    }

    fn read_id(&self, kind: VideoPage, name: &str) -> Option<u64> {
        let clip = |class| {
            let (found, member) = self.row.member(self.codes.number("v", name)?)?;
            (found == class).then_some(member)
        };
        match kind.row().class {
            VideoClass::Video => clip(0),
            VideoClass::Episode => clip(1),
            VideoClass::Channel => self.codes.number("c", name),
            VideoClass::Playlist => self.codes.number("p", name),
            VideoClass::Show => self.codes.number("s", name),
            VideoClass::Chart => {
                let day = Day::of_iso(name)?.0.checked_sub(FIRST_DAY)?;
                day.checked_mul(COUNTRIES.len() as u64)
            }
            _ => name.split('-').next()?.parse().ok(),
        }
    }

    fn write_word(&self, _slot: &str, page: PageId<VideoPage>, out: &mut String) {
        out.push_str(country(page.id));
    }

    fn read_word(&self, _slot: &str, word: &str, page: &mut PageId<VideoPage>) -> Option<()> {
        page.id += COUNTRIES.iter().position(|country| *country == word)? as u64;
        Some(())
    }

    fn design_number(&self, page: PageId<VideoPage>) -> u64 {
        match page.kind {
            VideoPage::Video | VideoPage::VideoInsight => self.clip_number(Clip::Video(page.id)),
            VideoPage::Episode | VideoPage::EpisodeInsight => self.clip_number(Clip::Episode(page.id)),
            _ => page.id,
        }
    }

    fn menu(&self) -> Vec<(PageId<VideoPage>, String)> {
        let mut menu =
            vec![(VideoPage::Shows.first(), "Shows".to_owned()), (Self::chart(0, 0), "Charts".to_owned())];
        let topics = (0..self.ground.topic_count()).take(7);
        menu.extend(topics.map(|t| (VideoPage::Category.of(t), self.ground.label(t as usize).to_owned())));
        menu
    }

    fn write(&self, page: PageId<VideoPage>, out: &mut PageWriter<'_, Self>) {
        pages::write(self, page, out);
    }

    fn aside(&self, out: &mut PageWriter<'_, Self>) {
        pages::aside(self, out);
    }

    fn topic_lists(&self, topic: usize) -> Vec<PageId<VideoPage>> {
        vec![VideoPage::Category.of(topic as u64)]
    }

    fn gone(&self, draw: u64) -> String {
        let number = self.row.len().saturating_add(draw);
        match draw % 5 {
            0 => format!("/channel/UC{}", self.codes.code("c", number)),
            _ => format!("/watch?v={}", self.codes.code("v", number)),
        }
    }
}

/// The country of a chart.
fn country(chart: u64) -> &'static str {
    COUNTRIES.get((chart % COUNTRIES.len() as u64) as usize).copied().unwrap_or_default()
}
