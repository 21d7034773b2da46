//! The pictures themselves, on the site's own host and on one that serves nothing else.
//!
//! `/img/{photo}_{size}.jpg`, for some photos `.png`. Colours and textures follow the photo's topic; a spammer's photo
//! has a random one.

use osprey_model::CanonicalUrl;

use super::Photos;
use crate::picture::{jpeg, png};
use crate::site::{Answer, Truth};
use crate::text::TopicId;

/// Sizes by their letter: small square, medium, large.
const SIZES: [(&str, u32, u32); 3] = [("s", 75, 75), ("m", 240, 180), ("z", 500, 375)];

impl Photos {
    /// The URL of a photo's picture.
    pub(super) fn source(&self, photo: u64, size: &str) -> String {
        let file = format!("/img/{}_{size}.{}", self.society.item_ids.of(photo), self.format(photo));
        match self.society.item_dice(photo).of("farm").chance(0.7) {
            true => format!("http://{}{file}", self.static_host()),
            false => file,
        }
    }

    fn static_host(&self) -> String {
        self.society.ground.setting.host("static", "photo")
    }

    fn format(&self, photo: u64) -> &'static str {
        if self.society.item_dice(photo).of("png").chance(0.06) { "png" } else { "jpg" }
    }

    /// The photo, width and height that a URL of a picture names.
    fn pictured(&self, url: &CanonicalUrl) -> Option<(u64, u32, u32)> {
        let (name, format) = url.path_and_query().strip_prefix("/img/")?.split_once('.')?;
        if url.origin() != self.society.ground.origin && url.authority() != self.static_host() {
            return None;
        }
        let (id, size) = name.split_once('_')?;
        let photo = self.society.item_ids.back(id.parse().ok()?)?;
        let (_, width, height) = SIZES.iter().find(|(name, ..)| *name == size)?;
        (self.format(photo) == format).then_some((photo, *width, *height))
    }

    /// The picture at a URL.
    pub(super) fn picture_at(&self, url: &CanonicalUrl) -> Option<Answer> {
        let (photo, width, height) = self.pictured(url)?;
        let dice = self.society.item_dice(photo).of("picture");
        let topic = match self.society.is_spammer(self.society.author(photo)) {
            true => TopicId(dice.of("spam").below(crate::text::topics().len() as u64) as u16),
            false => self.society.ground.topic_id(self.society.items.topic(photo)),
        };
        Some(match self.format(photo) {
            "png" => Answer::new(200, "image/png", png(topic, dice, width, height)),
            _ => Answer::new(200, "image/jpeg", jpeg(topic, dice, width, height)),
        })
    }

    /// What is true of the URL of a picture.
    pub(super) fn truth_of_picture_at(&self, url: &CanonicalUrl) -> Option<Truth> {
        let (photo, ..) = self.pictured(url)?;
        let topics = if self.society.is_spammer(self.society.author(photo)) {
            Vec::new()
        } else {
            self.topics_of(photo)
        };
        Some(Truth { template: "picture".into(), topics, ..Truth::default() })
    }
}
