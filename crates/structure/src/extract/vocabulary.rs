//! The words that pages use as labels, in a few languages, and the words in class names with the same meaning.
//!
//! A list, not a model: it can be read, and a site in a language that is missing needs a line here or a rule in its
//! project. Labels are compared in the form that [`normal`](super::labels::normal) gives: lower case, singular.

/// What a label announces.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Uploader,
    Tags,
    Sets,
    Groups,
    Date,
    Description,
    Contacts,
    Comments,
}

const LABELS: &[(Kind, &[&str])] = &[
    (
        Kind::Uploader,
        &[
            "by",
            "author",
            "author name",
            "uploader",
            "poster",
            "owner",
            "user",
            "username",
            "photographer",
            "artist",
            "creator",
            "contributor",
            "topic starter",
            "thread starter",
            "from user",
            "von",
            "autor",
            "verfasser",
            "autore",
            "auteur",
            "par",
            "por",
            "di",
            "auteur de",
            "作者",
            "发布者",
            "楼主",
            "上传者",
            "投稿者",
            "发帖人",
            "编辑",
        ],
    ),
    (
        Kind::Tags,
        &[
            "tag",
            "tagged",
            "tagged with",
            "tagged as",
            "tagged under",
            "tagged in",
            "keyword",
            "label",
            "topic tag",
            "schlagwort",
            "schlagworte",
            "schlagwörter",
            "stichwort",
            "stichworte",
            "stichwörter",
            "mot-clé",
            "mots-clé",
            "étiquette",
            "palabra clave",
            "palabras clave",
            "etiqueta",
            "parole chiave",
            "trefwoord",
            "标签",
            "标 签",
            "关键词",
            "关键字",
            "タグ",
        ],
    ),
    (
        Kind::Sets,
        &["set", "album", "gallery", "playlist", "photoset", "in set", "alben", "相册", "专辑", "相簿"],
    ),
    (
        Kind::Groups,
        &[
            "group",
            "pool",
            "in group",
            "member of",
            "group pool",
            "gruppe",
            "gruppen",
            "groupe",
            "grupo",
            "群组",
            "小组",
        ],
    ),
    (
        Kind::Date,
        &[
            "date",
            "posted",
            "posted on",
            "posted at",
            "date posted",
            "post date",
            "published",
            "published on",
            "uploaded",
            "uploaded on",
            "submitted",
            "submitted on",
            "created",
            "created on",
            "added",
            "added on",
            "taken on",
            "asked",
            "date added",
            "member since",
            "joined",
            "joined at",
            "joined on",
            "join date",
            "registered",
            "date taken",
            "veröffentlicht",
            "veröffentlicht am",
            "datum",
            "am",
            "fecha",
            "publié le",
            "publicado",
            "pubblicato",
            "发表于",
            "发布时间",
            "发布于",
            "发表时间",
            "时间",
            "日期",
            "更新时间",
            "上传于",
        ],
    ),
    (
        Kind::Description,
        &[
            "description",
            "about",
            "synopsis",
            "summary",
            "abstract",
            "beschreibung",
            "descripción",
            "简介",
            "描述",
            "摘要",
        ],
    ),
    (
        Kind::Contacts,
        &[
            "contact",
            "friend",
            "following",
            "follower",
            "freund",
            "freunde",
            "kontakte",
            "amis",
            "好友",
            "关注",
            "粉丝",
        ],
    ),
    (
        Kind::Comments,
        &["comment", "reply", "repl", "answer", "response", "kommentar", "commentaire", "评论", "回复"],
    ),
];

/// Verbs before "by" for publishing something on a site.
const MADE: &[&str] = &[
    "uploaded",
    "posted",
    "submitted",
    "written",
    "created",
    "added",
    "asked",
    "started",
    "published",
    "shared",
    "authored",
    "taken",
    "photo",
    "photograph",
    "picture",
    "image",
    "video",
    "story",
    "article",
    "text",
    "words",
    "post",
    "topic",
    "thread",
    "question",
    "made",
    "painted",
    "composed",
    "geschrieben",
    "veröffentlicht",
    "erstellt",
    "hochgeladen",
    "publié",
    "écrit",
    "escrito",
    "publicado",
    "scritto",
];

/// Prepositions before a name.
const BY: &[&str] = &["by", "von", "par", "por"];

/// Words of counts and the name each is kept by.
const COUNTS: &[(&str, &str)] = &[
    ("view", "views"),
    ("viewer", "views"),
    ("hit", "views"),
    ("read", "views"),
    ("visit", "views"),
    ("play", "plays"),
    ("favorite", "favourites"),
    ("favourite", "favourites"),
    ("fave", "favourites"),
    ("like", "likes"),
    ("love", "likes"),
    ("comment", "comments"),
    ("response", "comments"),
    ("reply", "replies"),
    ("answer", "answers"),
    ("post", "posts"),
    ("topic", "topics"),
    ("vote", "votes"),
    ("rating", "ratings"),
    ("review", "reviews"),
    ("download", "downloads"),
    ("share", "shares"),
    ("voice", "voices"),
    ("follower", "followers"),
    ("friend", "friends"),
    ("member", "members"),
    ("photo", "photos"),
    ("picture", "photos"),
    ("subscriber", "subscribers"),
    ("aufruf", "views"),
    ("kommentar", "comments"),
    ("antwort", "replies"),
    ("commentaire", "comments"),
    ("vue", "views"),
    ("浏览", "views"),
    ("阅读", "views"),
    ("点击", "views"),
    ("人气", "views"),
    ("播放", "plays"),
    ("评论", "comments"),
    ("回复", "replies"),
    ("收藏", "favourites"),
    ("喜欢", "likes"),
    ("赞", "likes"),
    ("下载", "downloads"),
];

/// The kind of field that a normalised label announces; `None` for any other field.
pub(super) fn kind(label: &str) -> Option<Kind> {
    let listed = LABELS.iter().find(|(_, words)| words.contains(&label)).map(|&(kind, _)| kind);
    listed
        .or_else(|| is_made_by(label).then_some(Kind::Uploader))
        .or_else(|| label.ends_with(" keyword").then_some(Kind::Tags))
        .or_else(|| membership(label))
}

/// Words between a thing and the set or group that it is in.
const MEMBERSHIP: &[&str] = &[
    "this",
    "these",
    "photo",
    "picture",
    "image",
    "video",
    "item",
    "it",
    "belongs",
    "belong",
    "appears",
    "appear",
    "is",
    "are",
    "in",
    "to",
    "of",
    "the",
    "a",
    "an",
    "also",
    "part",
    "member",
    "added",
    "all",
    "other",
    "additional",
];

/// What a normalised label like "this photo belongs to the set" or "also appears in group" announces.
fn membership(label: &str) -> Option<Kind> {
    let (before, last) = label.rsplit_once(' ')?;
    let listed = |wanted: Kind| LABELS.iter().any(|(kind, words)| *kind == wanted && words.contains(&last));
    let kind = [Kind::Sets, Kind::Groups].into_iter().find(|kind| listed(*kind))?;
    before.split(' ').all(|word| MEMBERSHIP.contains(&word)).then_some(kind)
}

/// Whether a normalised label is like "uploaded by" or "Asked 3 days ago by".
fn is_made_by(label: &str) -> bool {
    let mut words = label.split_whitespace();
    let ends = words.next_back().is_some_and(|word| BY.contains(&word));
    ends && words.next().is_none_or(|first| MADE.contains(&first))
}

/// The word before a name in a text that begins like "Posted by", "By", "Asked 3 days ago by".
pub(super) fn by_word(text: &str) -> Option<&'static str> {
    let found = BY.iter().find(|by| {
        super::text::find_word(text, by).is_some_and(|(at, end)| {
            let before = text.get(..at).unwrap_or_default().to_lowercase();
            let after = text.get(end..).unwrap_or_default();
            let first = before.split_whitespace().next();
            !after.trim().is_empty()
                && before.split_whitespace().count() <= 7
                && first.is_none_or(|first| MADE.contains(&first))
        })
    });
    found.copied()
}

/// The name under which a count is stored, by its normalised word.
pub(super) fn count_name(word: &str) -> Option<&'static str> {
    COUNTS.iter().find(|(known, _)| *known == word).map(|&(_, name)| name)
}

/// The name of a count whose word a text begins with; for scripts without spaces.
pub(super) fn count_prefix(text: &str) -> Option<&'static str> {
    COUNTS.iter().find(|(known, _)| !known.is_ascii() && text.starts_with(known)).map(|&(_, name)| name)
}

/// Whether a class name refers to the person who made something.
pub(super) fn names_person(class: &str) -> bool {
    const WORDS: &[&str] = &[
        "author",
        "byline",
        "username",
        "uploader",
        "owner",
        "creator",
        "nickname",
        "poster",
        "submitted",
        "fn",
    ];
    has_part(class, WORDS)
}

/// Whether a class name refers to votes.
pub(super) fn names_votes(class: &str) -> bool {
    has_part(class, &["vote", "votes", "voting", "score", "points", "likes", "karma", "upvotes", "kudos"])
}

/// Whether a class name refers to a title.
pub(super) fn names_title(class: &str) -> bool {
    has_part(class, &["title", "headline", "subject", "name", "heading"])
}

/// Whether a class name refers to something beside the record: other records, comments, navigation.
pub(super) fn names_aside(class: &str) -> bool {
    const WORDS: &[&str] = &[
        "related",
        "sidebar",
        "widget",
        "recent",
        "similar",
        "recommend",
        "recommended",
        "nav",
        "navigation",
        "menu",
        "breadcrumb",
        "popular",
        "also",
        "ad",
        "ads",
        "carousel",
    ];
    has_part(class, WORDS)
}

/// Whether a class name refers to a picture of a person, not of the record.
pub(super) fn names_avatar(class: &str) -> bool {
    has_part(class, &["avatar", "gravatar", "buddyicon", "usericon", "userpic", "logo", "icon", "badge"])
}

/// Parts of class names that are about looks or order, not about what a value is.
const LOOKS: &[&str] = &[
    "active",
    "align",
    "alt",
    "and",
    "article",
    "bar",
    "bd",
    "big",
    "block",
    "body",
    "bold",
    "border",
    "bottom",
    "box",
    "cell",
    "center",
    "clear",
    "clearfix",
    "col",
    "cols",
    "column",
    "content",
    "contents",
    "copy",
    "dark",
    "data",
    "desc",
    "details",
    "div",
    "even",
    "field",
    "first",
    "fixed",
    "fl",
    "float",
    "font",
    "foot",
    "footer",
    "fr",
    "full",
    "grey",
    "gray",
    "grid",
    "group",
    "half",
    "hd",
    "head",
    "header",
    "heading",
    "hidden",
    "hor",
    "img",
    "in",
    "info",
    "inline",
    "inner",
    "item",
    "items",
    "label",
    "large",
    "last",
    "layout",
    "lb",
    "left",
    "lg",
    "li",
    "line",
    "list",
    "listing",
    "lt",
    "main",
    "margin",
    "md",
    "media",
    "medium",
    "mid",
    "middle",
    "mini",
    "module",
    "new",
    "no",
    "normal",
    "odd",
    "of",
    "outer",
    "padding",
    "page",
    "panel",
    "para",
    "part",
    "pd",
    "plain",
    "record",
    "red",
    "reset",
    "right",
    "round",
    "row",
    "rt",
    "section",
    "selected",
    "sep",
    "side",
    "sm",
    "small",
    "span",
    "std",
    "strong",
    "style",
    "sub",
    "summary",
    "tab",
    "table",
    "tbl",
    "td",
    "text",
    "th",
    "the",
    "title",
    "top",
    "tr",
    "txt",
    "ul",
    "unit",
    "value",
    "values",
    "view",
    "vcard",
    "white",
    "wide",
    "widget",
    "width",
    "wrap",
    "wrapper",
    "xs",
    "blue",
    "black",
    "green",
    "yellow",
    "orange",
    "bg",
    "nobr",
    "copyright",
    "subtitle",
    "hproduct",
    "hentry",
    "link",
    "links",
    "name",
];

/// What a class attribute calls a value, if one of its classes is not only about looks: `col street-address` is
/// `street_address`.
pub(super) fn class_name(classes: &str) -> Option<String> {
    classes.split_whitespace().find_map(|class| {
        let parts = class_parts(class);
        let speaks = |part: &String| part.len() >= 3 && !LOOKS.contains(&part.as_str());
        let said: Vec<&String> = parts.iter().filter(|part| part.chars().all(char::is_alphabetic)).collect();
        let is_short = said.len() <= 4 && said.iter().map(|part| part.len()).sum::<usize>() <= 30;
        (is_short && said.iter().any(|part| speaks(part)))
            .then(|| said.into_iter().map(String::as_str).collect::<Vec<_>>().join("_"))
    })
}

/// The words of a class name: `street-address`, `street_address` and `streetAddress` have two.
fn class_parts(class: &str) -> Vec<String> {
    let mut parts: Vec<String> = Vec::new();
    let mut was_lower = false;
    for c in class.chars() {
        let begins = !c.is_alphanumeric() || (c.is_uppercase() && was_lower) || parts.is_empty();
        if begins {
            parts.push(String::new());
        }
        was_lower = c.is_lowercase();
        if let Some(part) = parts.last_mut().filter(|_| c.is_alphabetic()) {
            part.extend(c.to_lowercase());
        }
    }
    parts.retain(|part| !part.is_empty());
    parts
}

/// Whether one of the parts of a class name (`author-name`, `threadauthor`, `commentAuthor`) is one of the words, or
/// ends in one that is long enough not to be there by chance.
fn has_part(class: &str, words: &[&str]) -> bool {
    let lower = class.to_lowercase();
    lower.split(|c: char| !c.is_ascii_alphabetic()).any(|part| {
        words.iter().any(|word| {
            part == *word || (word.len() >= 5 && (part.ends_with(word) || part.starts_with(word)))
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_have_kinds() {
        let check = |label: &str, expect: Option<Kind>| assert_eq!(kind(label), expect, "{label:?}");
        check("tag", Some(Kind::Tags));
        check("标签", Some(Kind::Tags));
        check("uploaded by", Some(Kind::Uploader));
        check("by", Some(Kind::Uploader));
        check("plot keyword", Some(Kind::Tags));
        check("sort by", None);
        check("this photo belongs to the set", Some(Kind::Sets));
        check("also appears in group", Some(Kind::Groups));
        check("member of", Some(Kind::Groups));
        check("group pool", Some(Kind::Groups));
        check("photo set", Some(Kind::Sets));
        check("choose a set", None);
        check("set", Some(Kind::Sets));
        check("powered by", None);
        check("publisher", None);
    }

    #[test]
    fn names_after_by() {
        let check = |text: &str, expect: Option<&str>| assert_eq!(by_word(text), expect, "{text:?}");
        check("By Alice Keller", Some("by"));
        check("Asked 1 year ago by Patrick", Some("by"));
        check("Submitted by", None);
        check("Recommended by experts", None);
        check("We saw it and then it was taken down by the owner", None);
    }

    #[test]
    fn classes_name_values() {
        let check =
            |class: &str, expect: Option<&str>| assert_eq!(class_name(class).as_deref(), expect, "{class:?}");
        check("col street-address", Some("street_address"));
        check("phoneNumber tel", Some("phone_number"));
        check("col-md-0 left", None);
        check("price_0", Some("price"));
        check("value", None);
        check("", None);
    }

    #[test]
    fn class_names_are_understood() {
        assert!(names_person("threadauthor") && names_person("comment__info__username__link"));
        assert!(names_person("author-bio"));
        assert!(!names_person("often"));
        assert!(names_aside("widget widget_recent_entries") && !names_aside("threadpost"));
        assert!(names_avatar("comment__img__avatar no-pic"));
    }
}
