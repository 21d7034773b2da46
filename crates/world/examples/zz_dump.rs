//! dump
#![allow(missing_docs, clippy::print_stdout, clippy::unwrap_used)]
use osprey_model::CanonicalUrl;
use osprey_world::*;
fn main() {
    let a: Vec<String> = std::env::args().skip(1).collect();
    let w = World::new(a[0].parse().unwrap(), &Options::default()).unwrap();
    let want = &a[1];
    let u = w.pages().map(|p| CanonicalUrl::from_stored(&p).unwrap()).filter(|u| w.truth(u).unwrap().template == *want).nth(a[2].parse().unwrap()).unwrap();
    let ans = w.answer(&Ask { url: &u, cookie: None });
    println!("{u}\n{:?}\n{}", w.truth(&u), String::from_utf8_lossy(&ans.body));
}
