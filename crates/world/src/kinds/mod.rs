//! Sites of one host each, made largely by users (`photo`, `forum`, `qa`) or mostly an editor's catalogue with user
//! content around it (`video`, `movies`, `ratings`, `sports`).
//!
//! A kind has a table of its pages ([`site_map`]) and describes their content ([`plan::Plan`]); [`hosted::Hosted`]
//! makes a [`crate::site::Site`] of it. [`ties`] holds the relations, [`writer`], [`frame`] and [`pieces`] the page.

mod chronicle;
mod expert;
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
mod shop;
mod site_map;
mod social;
mod sports;
mod tags;
mod ties;
mod video;
mod writer;

#[cfg(test)]
mod checks;
#[cfg(test)]
mod recipes;

use std::sync::Arc;

use crate::nasty::Setting;
use crate::site::Site;

pub(crate) use chronicle::Chronicle;
pub(crate) use forum::Boards;
pub(crate) use movies::Movies;
pub(crate) use photo::Photos;
pub(crate) use qa::Questions;
pub(crate) use ratings::Ratings;
pub(crate) use shop::Shop;
pub(crate) use sports::Sports;
pub(crate) use video::Video;

/// The site of a plan.
pub(crate) fn site<P: plan::Plan + 'static>(setting: Setting) -> Arc<dyn Site> {
    Arc::new(hosted::Hosted::<P>::new(setting))
}
