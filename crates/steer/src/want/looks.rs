//! Whether a page looks like a page of one thing, as long as nothing was learned of its site.
//!
//! Two witnesses: the tree of `osprey_structure::drp`, which sees texts and lists, and the words of the URL's folders, since
//! people, tags and log-in pages have much text too. The last folder that says something decides: `/users/ann/photos/7` is a
//! photo. Such words are English on sites of many languages; where there are none, the tree is alone.

use osprey_page::Page;
use osprey_structure::drp::{DrpFeatures, Model};

/// Folders of pages of one thing.
const ITEMS: &[&str] = &[
    "article",
    "articles",
    "book",
    "clip",
    "entry",
    "episode",
    "event",
    "film",
    "image",
    "issue",
    "item",
    "items",
    "match",
    "movie",
    "news",
    "node",
    "p",
    "photo",
    "photos",
    "picture",
    "post",
    "posts",
    "product",
    "products",
    "question",
    "questions",
    "recipe",
    "review",
    "reviews",
    "show",
    "story",
    "t",
    "thread",
    "threads",
    "title",
    "topic",
    "topics",
    "video",
    "videos",
    "viewtopic",
    "watch",
];
/// Folders of lists, people and services.
const OTHERS: &[&str] = &[
    "about",
    "account",
    "accounts",
    "archive",
    "archives",
    "author",
    "authors",
    "board",
    "boards",
    "browse",
    "categories",
    "category",
    "channel",
    "channels",
    "collections",
    "contact",
    "dashboard",
    "directory",
    "explore",
    "faq",
    "feed",
    "feeds",
    "forum",
    "forums",
    "forumdisplay",
    "group",
    "groups",
    "help",
    "list",
    "lists",
    "login",
    "logout",
    "member",
    "members",
    "memberlist",
    "page",
    "pages",
    "password",
    "people",
    "person",
    "playlist",
    "playlists",
    "privacy",
    "profile",
    "profiles",
    "register",
    "reviewer",
    "rss",
    "rules",
    "search",
    "section",
    "signin",
    "signup",
    "tag",
    "tags",
    "team",
    "teams",
    "terms",
    "u",
    "user",
    "users",
    "viewforum",
];
/// What a folder of items does to the odds: pages with little text, such as those of pictures, are lists to the tree.
const TIMES: f32 = 8.0;
/// What one of others does.
const OVER: f32 = 5.0;

/// From 0 to 1.
pub(super) fn looks_item(page: &Page) -> f32 {
    let verdict = Model::osprey().judge(&DrpFeatures::of(page));
    let looks = if verdict.detail { verdict.confidence } else { 1.0 - verdict.confidence };
    let looks = looks.clamp(0.02, 0.98);
    let odds = looks / (1.0 - looks) * by_folders(page.url().path());
    odds / (1.0 + odds)
}

fn by_folders(path: &str) -> f32 {
    let of_folder = |folder: &str| {
        let word = folder.split_once('.').map_or(folder, |(word, _)| word);
        let is = |words: &[&str]| words.iter().any(|known| word.eq_ignore_ascii_case(known));
        if is(ITEMS) { Some(TIMES) } else { is(OTHERS).then_some(1.0 / OVER) }
    };
    // a folder of items by itself is their list
    let mut folders = path.trim_matches('/').rsplit('/');
    match folders.next() {
        Some(last) if of_folder(last).is_some_and(|times| times < 1.0) => 1.0 / OVER,
        _ => folders.find_map(of_folder).unwrap_or(1.0),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_folder_that_says_something_decides() {
        let check = |path: &str, expect: f32| assert_eq!(by_folders(path), expect, "{path}");
        check("/users/ann/photos/7", TIMES);
        check("/user/315/ann/", 1.0 / OVER);
        check("/login.php", 1.0 / OVER);
        check("/photos/", 1.0);
        check("/2012/04/18/the-great-dog/", 1.0);
        check("/", 1.0);
    }
}
