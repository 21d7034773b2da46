//! Sites of one host each, made by users to a large part (`photo`, `forum`, `qa`) or mostly somebody's catalogue with
//! what users made around it (`video`, `movies`, `ratings`, `sports`).
//!
//! A kind says what places it has and what stands there ([`hosted::Plan`]); [`hosted::Hosted`] makes a
//! [`crate::site::Site`] of it. [`ties`] holds the relations, [`sheet`], [`frame`] and [`pieces`] the page.

mod forum;
mod frame;
mod ground;
mod hosted;
mod members;
mod movies;
mod numbering;
mod photo;
mod pieces;
mod plan;
mod qa;
mod ratings;
mod sheet;
mod site_map;
mod social;
mod sports;
mod tags;
mod ties;
mod video;

#[cfg(test)]
mod checks;

use crate::nasty::Setting;
use crate::site::Site;

pub(crate) fn forum(setting: Setting) -> impl Site {
    hosted::Hosted::<forum::Boards>::new(setting)
}

pub(crate) fn movies(setting: Setting) -> impl Site {
    hosted::Hosted::<movies::Movies>::new(setting)
}

pub(crate) fn photo(setting: Setting) -> impl Site {
    hosted::Hosted::<photo::Photos>::new(setting)
}

pub(crate) fn qa(setting: Setting) -> impl Site {
    hosted::Hosted::<qa::Questions>::new(setting)
}

pub(crate) fn ratings(setting: Setting) -> impl Site {
    hosted::Hosted::<ratings::Ratings>::new(setting)
}

pub(crate) fn sports(setting: Setting) -> impl Site {
    hosted::Hosted::<sports::Sports>::new(setting)
}

pub(crate) fn video(setting: Setting) -> impl Site {
    hosted::Hosted::<video::Video>::new(setting)
}
