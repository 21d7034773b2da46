//! What is served: a simulated site of photographs, learned, crawled and indexed once; and content that means harm. Each
//! test has a copy of its own.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

use osprey_vision::{Picture, draw, jpeg};

use crate::browser::driver::folder;
use crate::project::osprey;

/// What the file of the simulated project says; its comments have to outlive every change by a page.
const WORLD: &str = "# photographs of the sea
[crawl]
scope = \"domain\"
budget_pages = 240

[source]
kind = \"world\"
name = \"photo\"
random_seed = 1
size = 12000

[structure]
sample_pages = 250

[topic]
tags = [\"beach\", \"sand\"]  # what we are after

[policy]
kind = \"profile\"
people = \"first\"
";

fn run(args: &[&str], dir: &Path) {
    let output = osprey().arg("--quiet").args(&args[..1]).arg(dir).args(&args[1..]).output().unwrap();
    assert!(output.status.success(), "{args:?}: {}", String::from_utf8_lossy(&output.stderr));
}

fn empty(name: &str) -> PathBuf {
    let dir = folder().join(name);
    let _ = fs::remove_dir_all(&dir);
    fs::create_dir_all(&dir).unwrap();
    dir
}

fn copy(of: &Path, name: &str) -> PathBuf {
    let dir = empty(name);
    let status = Command::new("cp").arg("-r").arg(of.join(".")).arg(&dir).status().unwrap();
    assert!(status.success());
    dir
}

/// A site of photographs: some of it is crawled and can be searched.
pub(crate) fn photos(name: &str) -> PathBuf {
    static MADE: OnceLock<PathBuf> = OnceLock::new();
    let made = MADE.get_or_init(|| {
        let dir = empty("photos-made");
        fs::write(dir.join("osprey.toml"), WORLD).unwrap();
        for command in ["learn", "crawl", "index"] {
            run(&[command], &dir);
        }
        dir
    });
    copy(made, name)
}

/// Texts that become more than text where escaping is missing; each leaves a mark if it runs.
pub(crate) const HARM: [&str; 14] = [
    "<script>window.harmed='script'</script>",
    "\"><img src=x onerror=\"window.harmed='quote'\">",
    "'><svg onload=window.harmed='svg'>",
    "</title><script>window.harmed='title'</script>",
    "</textarea></script><script>window.harmed='textarea'</script>",
    "javascript:window.harmed='scheme'",
    "<style>*{display:none!important}</style>",
    "<iframe src=\"javascript:parent.harmed='frame'\"></iframe>",
    "<a href=javascript:window.harmed='link'>click me</a>",
    "<base href=//evil.example/><form action=//evil.example/><input name=q>",
    "\u{202e}gnp.live\u{202c} \u{2066}x\u{200f}",
    "&lt;script&gt;window.harmed='twice'&lt;/script&gt; &quot; onfocus=window.harmed=1 autofocus x=&quot;",
    "<!-- ]]> --!> <meta http-equiv=refresh content=0;url=//evil.example>",
    "{{constructor.constructor('window.harmed=1')()}} ${window.harmed=1} <%= 1 %>",
];

/// As text in a page.
fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

fn picture(number: usize) -> Picture {
    let shade = (number * 16 % 256) as u8;
    Picture::from_fn(96, 96, |x, _| if x % 16 < 4 { [shade, 20, 240 - shade] } else { [200, shade, 30] })
}

/// A picture that has a page in its comment.
pub(crate) fn jpeg_with_comment() -> Vec<u8> {
    let comment = b"<script>window.harmed='comment'</script>";
    let whole = jpeg(&picture(3));
    let (start, rest) = whole.split_at(2);
    let length = (comment.len() + 2) as u16;
    [start, &[0xff, 0xfe], &length.to_be_bytes(), comment, rest].concat()
}

/// Files that say they are pictures: number `n` of a page.
fn file(number: usize) -> Vec<u8> {
    match number % 5 {
        0 => b"<!doctype html><script>window.harmed='page as picture'</script>".to_vec(),
        1 => b"<svg xmlns='http://www.w3.org/2000/svg' onload='window.harmed=1'><script>window.harmed=1</script></svg>".to_vec(),
        2 => jpeg_with_comment(),
        _ => draw::png(&picture(number)),
    }
}

/// A mirror of a site whose every text means harm, crawled, learned and indexed.
pub(crate) fn harmful(name: &str) -> PathBuf {
    let dir = empty(name);
    let mirror = dir.join("mirror");
    for folder in ["photo", "people", "img"] {
        fs::create_dir_all(mirror.join(folder)).unwrap();
    }
    let link = |folder: &str, number: usize, text: &str| {
        format!("<li><a href='/{folder}/{number}%22%3E%3Cscript%3E.html'>{}</a></li>", escaped(text))
    };
    let list = |folder: &str, count: usize| {
        (0..count).map(|number| link(folder, number, HARM[number % HARM.len()])).collect::<String>()
    };
    let index = format!(
        "<title>{}</title><h1>All</h1><ul>{}</ul><ol>{}</ol>",
        escaped(HARM[3]),
        list("photo", 28),
        list("people", 14)
    );
    fs::write(mirror.join("index.html"), index).unwrap();
    for number in 0..28 {
        let harm = |step: usize| escaped(HARM[(number + step) % HARM.len()]);
        let page = format!(
            "<html><head><title>{0}</title></head><body><div class=photo><h1 class=title>{0}</h1>\
             <img class=photo src='/img/{number}.jpg' width=400 height=300 alt=\"{1}\">\
             <p class=by>by <a rel=author class=owner href='/people/{2}%22%3E%3Cscript%3E.html'>{3}</a></p>\
             <ul class=tags><li><a rel=tag href='/tags/{2}'>{4}</a></li><li><a rel=tag href='/tags/x{2}'>harm</a></li></ul>\
             <p class=description>{5} and a longer text so that there is something to read in page {number}</p></div>\
             <a href=\"javascript:window.harmed='followed'\">{1}</a></body></html>",
            harm(0),
            harm(1),
            number % 14,
            harm(2),
            harm(4),
            harm(5),
        );
        fs::write(mirror.join(format!("photo/{number}\"><script>.html")), page).unwrap();
        fs::write(mirror.join(format!("img/{number}.jpg")), file(number)).unwrap();
    }
    for (number, text) in HARM.iter().enumerate().take(14) {
        let name = escaped(text);
        let page = format!(
            "<html><head><title>About {name}</title></head><body><h2 class=name>{name}</h2><dl class=vcard><dt>Name</dt>\
             <dd>{name}</dd></dl><ul class=photos>{}{}</ul></body></html>",
            link("photo", number, text),
            link("photo", number + 14, text),
        );
        fs::write(mirror.join(format!("people/{number}\"><script>.html")), page).unwrap();
    }
    let toml = format!(
        "[crawl]\nseeds = [\"http://harm.example/\"]\n[source]\nkind = \"replay\"\npath = \"mirror\"\n\
         base = \"http://harm.example/\"\n[vision]\npictures = \"pages\"\nrelevant_only = false\n\
         [topic]\ntags = [{tags}]\n",
        tags = HARM[..4].iter().map(|text| format!("'''{text}'''")).collect::<Vec<_>>().join(", "),
    );
    fs::write(dir.join("osprey.toml"), toml).unwrap();
    for command in ["learn", "crawl", "index"] {
        run(&[command], &dir);
    }
    dir
}

/// Pictures whose names mean harm, in a folder whose name does.
pub(crate) fn harmful_pictures(name: &str) -> PathBuf {
    let (dir, pictures) = (empty(name), empty(&format!("{name}-pictures")));
    for (number, harm) in HARM.iter().enumerate() {
        // a name of a file has no slash and not too many bytes
        let harm = harm.replace('/', "\u{2215}");
        let folder = pictures.join(&harm);
        fs::create_dir_all(&folder).unwrap();
        fs::write(folder.join(format!("{harm}.jpg")), file(number)).unwrap();
        fs::write(folder.join(format!("{number}.png")), draw::png(&picture(number))).unwrap();
    }
    run(&["index", "--images", pictures.to_str().unwrap()], &dir);
    dir
}
