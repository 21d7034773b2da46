//! The pages of `video` that users made, and the lists that lead to them.

use super::super::frame::Head;
use super::super::ground::day_of;
use super::super::pieces::{Fact, Remark};
use super::super::plan::Plan;
use super::super::site_map::{PageId, PageKind};
use super::super::tags::Tags;
use super::super::writer::PageWriter;
use super::pages::{Out, clips, length, picture, player, views};
use super::{COMMENTS_A_PAGE, Clip, NAMES_A_PAGE, VIDEOS_A_PAGE, Video, VideoPage};

pub(super) fn watch_video(site: &Video, out: Out<'_, '_>, video: u64) {
    let (clip, dice, topic) = (Clip::Video(video), site.dice("video", video), site.videos.topic(video));
    let name = site.clip_name(clip);
    out.begin(&Head { og_type: "video.other", about: &name, ..Head::plain(&name) });
    player(site, out, clip);
    let uploader = site.uploaders.parent(video);
    out.open("div", out.by_theme("uploader", "user-info", "u"));
    if let Some(channel) = uploader {
        out.thumb(VideoPage::Channel.of(channel), "avatar", "");
        out.link(VideoPage::Channel.of(channel), &site.channel_name(channel), "uploader-name");
    }
    out.element("span", "date", &day_of(dice.of("day")).long());
    out.element("strong", "watch-count", &views(dice));
    out.close("div");
    if site.is_spammer(uploader) {
        out.spam(dice);
        return;
    }
    let prose = site.ground.prose(topic, 0.25, dice);
    out.html.open("div", &[("class", "description"), ("id", "eow-description")]);
    out.paragraphs(&prose, dice.of("text"), dice.of("n").between(0, 3), 2);
    out.close("div");
    let tags = tags_of(site, out, video);
    out.facts(
        "video-facts",
        vec![
            (
                "Category",
                Fact::Links(vec![(
                    VideoPage::Category.of(topic as u64),
                    site.ground.label(topic).to_owned(),
                )]),
            ),
            ("Tags", Fact::Links(tags)),
        ],
    );
    if site.has_insight(clip) {
        out.link(Video::insight(clip), "Statistics", "stats");
    }
    out.heading("Comments");
    let shown = said(site, video, 0..site.comment_count(video).min(8));
    if shown.is_empty() {
        out.notice("Comments are switched off for this video.");
    } else {
        out.remarks("comment-list", shown);
    }
    if site.last_page(VideoPage::Comments.of(video)) > 0 {
        out.link(VideoPage::Comments.of(video), "All comments", "all-comments");
    }
}

fn tags_of(site: &Video, out: &PageWriter<'_, Video>, video: u64) -> Vec<(PageId<VideoPage>, String)> {
    let mut tags = site.tags.of(video);
    if out.of("tag spam").chance(site.ground.setting.nasty.tag_spam) {
        tags.extend(site.tags.first_of(out.of("other").below(site.ground.topic_count())));
    }
    tags.into_iter().map(|tag| (VideoPage::Tag.of(tag), Tags::text(&site.ground, tag).to_owned())).collect()
}

/// Some of the comments on a video; users that the video names come first.
fn said(site: &Video, video: u64, range: std::ops::Range<u64>) -> Vec<Remark<VideoPage>> {
    let (dice, topic) = (site.dice("video", video).of("said"), site.videos.topic(video));
    let named = site.commenters.parents(video);
    let prose = site.ground.prose(topic, 0.15, dice);
    let remark = |place: u64| {
        let dice = dice.at(place);
        let author =
            named.get(place as usize).copied().or_else(|| site.channels.draw(topic, dice.of("who")))?;
        let text = prose.paragraph_text(dice, 1 + dice.of("long").below(2) as usize);
        let when = format!("{} weeks ago", dice.of("when").between(1, 90));
        Some(Remark { author: VideoPage::Channel.of(author), name: site.channel_name(author), when, text })
    };
    range.filter_map(remark).collect()
}

pub(super) fn comments(site: &Video, out: Out<'_, '_>, video: u64) {
    let name = site.clip_name(Clip::Video(video));
    out.begin(&Head::under(&format!("Comments on {name}"), Video::watch(Clip::Video(video)), name.clone()));
    let count = site.comment_count(video);
    let range = out.span(COMMENTS_A_PAGE);
    out.remarks("all-comments", said(site, video, range.start..range.end.min(count)));
}

pub(super) fn channel_page(site: &Video, out: Out<'_, '_>, channel: u64) {
    let (name, dice) = (site.channel_name(channel), site.dice("channel", channel));
    out.begin(&Head { og_type: "profile", ..Head::under(&name, VideoPage::Channels.first(), "Channels") });
    if site.is_spammer(Some(channel)) {
        out.spam(dice);
        return;
    }
    let topic = site.channels.topic(channel);
    out.open("div", out.by_theme("channel-header", "profile-box", "pbox"));
    out.html.open("img", &[("src", "/media/avatar.jpg"), ("alt", &name)]);
    out.facts(
        "channel-facts",
        vec![
            ("Joined", Fact::Text(day_of(dice.of("joined")).long())),
            ("Subscribers", Fact::Text(site.subscriptions.reach(channel).to_string())),
        ],
    );
    if dice.of("bio").chance(0.7) {
        out.paragraphs(&site.ground.prose(topic, 0.2, dice), dice.of("bio"), 1, 3);
    }
    out.close("div");
    let videos = site.uploaders.children(channel);
    out.heading("Uploads");
    clips(site, out, "uploads", videos.slice(0..6).map(Clip::Video).collect());
    if site.last_page(VideoPage::Uploads.of(channel)) > 0 {
        out.link(VideoPage::Uploads.of(channel), &format!("All {} uploads", videos.len()), "more");
    }
    let lists = site.curators.children(channel);
    if lists.len() > 0 {
        out.heading("Playlists");
        out.roll("lists", lists.slice(0..8), |out, list| {
            out.link(VideoPage::Playlist.of(list), &site.playlist_name(list), "list");
        });
    }
    out.open("div", "subscriptions");
    for other in
        site.subscriptions.parents(channel).into_iter().chain(site.subscriptions.children(channel, 0..6))
    {
        out.thumb(VideoPage::Channel.of(other), "avatar", &site.channel_name(other));
    }
    out.close("div");
    out.heading("Recent activity");
    out.roll("activity", site.commenters.children(channel, 0..5), |out, video| {
        out.text("commented on ");
        out.link(Video::watch(Clip::Video(video)), &site.clip_name(Clip::Video(video)), "");
    });
}

pub(super) fn uploads(site: &Video, out: Out<'_, '_>, channel: u64) {
    let name = site.channel_name(channel);
    out.begin(&Head::under(&format!("Videos of {name}"), VideoPage::Channel.of(channel), name.clone()));
    let videos = site.uploaders.children(channel).slice(out.span(VIDEOS_A_PAGE)).map(Clip::Video).collect();
    clips(site, out, "grid", videos);
}

pub(super) fn playlist_page(site: &Video, out: Out<'_, '_>, playlist: u64) {
    let (name, dice) = (site.playlist_name(playlist), site.dice("playlist", playlist));
    let owner = site.curators.parent(playlist);
    let crumbs = owner
        .map(|channel| (VideoPage::Channel.of(channel), site.channel_name(channel)))
        .into_iter()
        .collect();
    out.begin(&Head { title: &name, og_type: "", about: &name, crumbs });
    if site.is_spammer(owner) {
        out.spam(dice);
        return;
    }
    let prose = site.ground.prose(site.playlists.topic(playlist), 0.25, dice);
    out.paragraphs(&prose, dice.of("intro"), 1, 2);
    out.open("ol", "pl-videos");
    for video in site.queued.parents(playlist) {
        let clip = Clip::Video(video);
        out.open("li", "");
        out.thumb(Video::watch(clip), &picture(site, clip), "");
        out.link(Video::watch(clip), &site.clip_name(clip), "title");
        out.element("em", "", &length(site, clip));
        out.close("li");
    }
    out.close("ol");
}

pub(super) fn channels(site: &Video, out: Out<'_, '_>) {
    out.begin(&Head::under("Channels", VideoPage::Home.first(), "Home"));
    out.bullets(
        "ol",
        "channels",
        out.span(NAMES_A_PAGE).take_while(|channel| *channel < site.channels.len()),
        |out, channel| {
            out.link(VideoPage::Channel.of(channel), &site.channel_name(channel), "");
        },
    );
}

pub(super) fn playlists(site: &Video, out: Out<'_, '_>) {
    out.begin(&Head::under("Playlists", VideoPage::Home.first(), "Home"));
    let lists: Vec<u64> = out.span(NAMES_A_PAGE).take_while(|list| *list < site.playlists.len()).collect();
    out.roll("playlists", lists, |out, list| {
        out.open("h4", "");
        out.link(VideoPage::Playlist.of(list), &site.playlist_name(list), "");
        out.close("h4");
    });
}
