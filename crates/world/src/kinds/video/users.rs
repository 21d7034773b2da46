//! The pages of `video` that users made, and the lists that lead to them.

use super::super::frame::Head;
use super::super::ground::day_of;
use super::super::pieces::{Fact, Remark, span};
use super::super::sheet::Sheet;
use super::super::tags::{Tag, Tags};
use super::pages::{Page, clips, length, picture, player, views};
use super::{COMMENTS_A_PAGE, Clip, NAMES_A_PAGE, Place, VIDEOS_A_PAGE, Video};

pub(super) fn watch_video(site: &Video, sheet: Page<'_, '_>, video: u64) {
    let (clip, dice, topic) = (Clip::Video(video), site.dice("video", video), site.videos.topic(video));
    let name = site.clip_name(clip);
    sheet.begin(&Head { og_type: "video.other", about: &name, ..Head::plain(&name) });
    player(site, sheet, clip);
    let uploader = site.uploaders.parent(video);
    sheet.html.open("div", &[("class", sheet.by_theme("uploader", "user-info", "u"))]);
    if let Some(channel) = uploader {
        sheet.thumb(Place::Channel(channel), "avatar", "");
        sheet.link(Place::Channel(channel), &site.channel_name(channel), "uploader-name");
    }
    sheet.html.element("span", &[("class", "date")], &day_of(dice.of("day")).long());
    sheet.html.element("strong", &[("class", "watch-count")], &views(dice));
    sheet.html.close("div");
    if site.is_spammer(uploader) {
        sheet.spam(dice);
        return sheet.end();
    }
    let prose = site.ground.prose(topic, 0.25, dice);
    sheet.html.open("div", &[("class", "description"), ("id", "eow-description")]);
    sheet.paragraphs(&prose, dice.of("text"), dice.of("n").between(0, 3), 2);
    sheet.html.close("div");
    let tags = tags_of(site, sheet, video);
    sheet.facts(
        "video-facts",
        vec![
            (
                "Category",
                Fact::Links(vec![(Place::Category(topic as u64, 1), site.ground.label(topic).to_owned())]),
            ),
            ("Tags", Fact::Links(tags)),
        ],
    );
    if site.has_insight(clip) {
        sheet.link(Place::Insight(clip), "Statistics", "stats");
    }
    sheet.heading("Comments");
    let shown = said(site, video, 0..site.comment_count(video).min(8));
    if shown.is_empty() {
        sheet.notice("Comments are switched off for this video.");
    } else {
        sheet.remarks("comment-list", shown);
    }
    if site.last_page(Place::Comments(video, 1)) > 0 {
        sheet.link(Place::Comments(video, 1), "All comments", "all-comments");
    }
    sheet.end();
}

fn tags_of(site: &Video, sheet: &Sheet<'_, Video>, video: u64) -> Vec<(Place, String)> {
    let mut tags = site.tags.of(video);
    if sheet.of("tag spam").chance(site.ground.setting.nasty.tag_spam) {
        let other = Tag { topic: sheet.of("other").below(site.ground.topic_count()), index: 0 };
        tags.extend(Some(other).filter(|tag| site.tags.exists(*tag)));
    }
    tags.into_iter().map(|tag| (Place::Tag(tag, 1), Tags::text(&site.ground, tag).to_owned())).collect()
}

/// The comments on a video at some places: those whom the video names come first.
fn said(site: &Video, video: u64, range: std::ops::Range<u64>) -> Vec<Remark<Place>> {
    let (dice, topic) = (site.dice("video", video).of("said"), site.videos.topic(video));
    let named = site.commenters.parents(video);
    let prose = site.ground.prose(topic, 0.15, dice);
    let remark = |place: u64| {
        let dice = dice.at(place);
        let author =
            named.get(place as usize).copied().or_else(|| site.channels.draw(topic, dice.of("who")))?;
        let mut text = String::new();
        prose.paragraph(dice, 1 + dice.of("long").below(2) as usize, &mut text);
        let when = format!("{} weeks ago", dice.of("when").between(1, 90));
        Some(Remark { author: Place::Channel(author), name: site.channel_name(author), when, text })
    };
    range.filter_map(remark).collect()
}

pub(super) fn comments(site: &Video, sheet: Page<'_, '_>, video: u64, page: u64) {
    let name = site.clip_name(Clip::Video(video));
    sheet.begin(&Head::under(&format!("Comments on {name}"), Place::Watch(Clip::Video(video)), name.clone()));
    let count = site.comment_count(video);
    let range = span(page, COMMENTS_A_PAGE);
    sheet.remarks("all-comments", said(site, video, range.start..range.end.min(count)));
    sheet.pager_of(page, site.last_page(Place::Comments(video, 1)), |n| Place::Comments(video, n));
    sheet.end();
}

pub(super) fn channel_page(site: &Video, sheet: Page<'_, '_>, channel: u64) {
    let (name, dice) = (site.channel_name(channel), site.dice("channel", channel));
    sheet.begin(&Head { og_type: "profile", ..Head::under(&name, Place::Channels(1), "Channels") });
    if site.is_spammer(Some(channel)) {
        sheet.spam(dice);
        return sheet.end();
    }
    let topic = site.channels.topic(channel);
    sheet.html.open("div", &[("class", sheet.by_theme("channel-header", "profile-box", "pbox"))]);
    sheet.html.open("img", &[("src", "/media/avatar.jpg"), ("alt", &name)]);
    sheet.facts(
        "channel-facts",
        vec![
            ("Joined", Fact::Text(day_of(dice.of("joined")).long())),
            ("Subscribers", Fact::Text(site.subscriptions.reach(channel).to_string())),
        ],
    );
    if dice.of("bio").chance(0.7) {
        sheet.paragraphs(&site.ground.prose(topic, 0.2, dice), dice.of("bio"), 1, 3);
    }
    sheet.html.close("div");
    let videos = site.uploaders.children(channel);
    sheet.heading("Uploads");
    clips(site, sheet, "uploads", videos.slice(0..6).map(Clip::Video).collect());
    if site.last_page(Place::Uploads(channel, 1)) > 0 {
        sheet.link(Place::Uploads(channel, 1), &format!("All {} uploads", videos.len()), "more");
    }
    let lists = site.curators.children(channel);
    if lists.len() > 0 {
        sheet.heading("Playlists");
        sheet.roll("lists", lists.slice(0..8), |sheet, list| {
            sheet.link(Place::Playlist(list), &site.playlist_name(list), "list");
        });
    }
    sheet.html.open("div", &[("class", "subscriptions")]);
    for other in
        site.subscriptions.parents(channel).into_iter().chain(site.subscriptions.children(channel, 0..6))
    {
        sheet.thumb(Place::Channel(other), "avatar", &site.channel_name(other));
    }
    sheet.html.close("div");
    sheet.heading("Recent activity");
    sheet.roll("activity", site.commenters.children(channel, 0..5), |sheet, video| {
        sheet.html.text("commented on ");
        sheet.link(Place::Watch(Clip::Video(video)), &site.clip_name(Clip::Video(video)), "");
    });
    sheet.end();
}

pub(super) fn uploads(site: &Video, sheet: Page<'_, '_>, channel: u64, page: u64) {
    let name = site.channel_name(channel);
    sheet.begin(&Head::under(&format!("Videos of {name}"), Place::Channel(channel), name.clone()));
    let videos = site.uploaders.children(channel).slice(span(page, VIDEOS_A_PAGE)).map(Clip::Video).collect();
    clips(site, sheet, "grid", videos);
    sheet.pager_of(page, site.last_page(Place::Uploads(channel, 1)), |n| Place::Uploads(channel, n));
    sheet.end();
}

pub(super) fn playlist_page(site: &Video, sheet: Page<'_, '_>, playlist: u64) {
    let (name, dice) = (site.playlist_name(playlist), site.dice("playlist", playlist));
    let owner = site.curators.parent(playlist);
    let crumbs =
        owner.map(|channel| (Place::Channel(channel), site.channel_name(channel))).into_iter().collect();
    sheet.begin(&Head { title: &name, og_type: "", about: &name, crumbs });
    if site.is_spammer(owner) {
        sheet.spam(dice);
        return sheet.end();
    }
    let prose = site.ground.prose(site.playlists.topic(playlist), 0.25, dice);
    sheet.paragraphs(&prose, dice.of("intro"), 1, 2);
    sheet.html.open("ol", &[("class", "pl-videos")]);
    for video in site.queued.parents(playlist) {
        let clip = Clip::Video(video);
        sheet.html.open("li", &[]);
        sheet.thumb(Place::Watch(clip), &picture(site, clip), "");
        sheet.link(Place::Watch(clip), &site.clip_name(clip), "title");
        sheet.html.element("em", &[], &length(site, clip));
        sheet.html.close("li");
    }
    sheet.html.close("ol");
    sheet.end();
}

pub(super) fn channels(site: &Video, sheet: Page<'_, '_>, page: u64) {
    sheet.begin(&Head::under("Channels", Place::Home, "Home"));
    sheet.html.open("ol", &[("class", "channels")]);
    for channel in span(page, NAMES_A_PAGE).take_while(|channel| *channel < site.channels.len()) {
        sheet.html.open("li", &[]);
        sheet.link(Place::Channel(channel), &site.channel_name(channel), "");
        sheet.html.close("li");
    }
    sheet.html.close("ol");
    sheet.pager_of(page, site.last_page(Place::Channels(1)), Place::Channels);
    sheet.end();
}

pub(super) fn playlists(site: &Video, sheet: Page<'_, '_>, page: u64) {
    sheet.begin(&Head::under("Playlists", Place::Home, "Home"));
    let lists: Vec<u64> = span(page, NAMES_A_PAGE).take_while(|list| *list < site.playlists.len()).collect();
    sheet.roll("playlists", lists, |sheet, list| {
        sheet.html.open("h4", &[]);
        sheet.link(Place::Playlist(list), &site.playlist_name(list), "");
        sheet.html.close("h4");
    });
    sheet.pager_of(page, site.last_page(Place::Playlists(1)), Place::Playlists);
    sheet.end();
}
