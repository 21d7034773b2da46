//! The tree compared with html5ever's, for random tag soup.
//!
//! The standard's test suite (`tests/it/html5lib.rs`) has the cases that people thought of; random soup finds the
//! others: unclosed, misnested and misplaced tags of all kinds that the rules distinguish. The oracle is html5ever,
//! whose tree builder this crate replaced: the same page must give the same tree. Its tokenizer takes part too. Only
//! documents are compared, each with scripting off and on.
//!
//! More cases than the 2,048 of every run: `PROPTEST_CASES=20000 cargo test -p osprey-page --test oracle`.
use std::borrow::Cow;
use std::cell::RefCell;
use std::collections::HashSet;
use std::fmt::Write as _;
use std::ops::Deref;

use html5ever::buffer_queue::BufferQueue;
use html5ever::interface::{ElementFlags, NodeOrText, QuirksMode, TokenizerResult, TreeSink};
use html5ever::tendril::StrTendril;
use html5ever::tokenizer::{Token, TokenSink, TokenSinkResult, Tokenizer, TokenizerOpts};
use html5ever::tree_builder::{TreeBuilder, TreeBuilderOpts};
use html5ever::{Attribute, QualName};
use osprey_page::{Limits, NodeKind, NodeRef, Scripting, Tree};
use proptest::prelude::*;
use scraper::{ElementRef, Html, HtmlTreeSink, Node};

/// Cases per run, unless `PROPTEST_CASES` is set.
const CASES: u32 = 2048;
/// Maximum number of pieces of a page: enough to misnest tags, and too few for `Limits::max_depth`, which html5ever
/// does not have.
const MAX_PIECES: usize = 48;

/// Tags that move others, or are moved.
const ENTANGLING: &[&str] = &[
    "a", "b", "big", "code", "em", "font", "i", "nobr", "s", "small", "strong", "u", "p", "div", "button",
    "form", "h1", "h2", "ul", "li", "dl", "dd", "dt", "applet", "marquee", "object", "template",
];
const TABLES: &[&str] = &[
    "table", "table", "caption", "colgroup", "col", "tbody", "thead", "tfoot", "tr", "tr", "td", "td", "th",
];
const FOREIGN: &[&str] = &[
    "svg",
    "svg",
    "math",
    "math",
    "foreignObject",
    "desc",
    "path",
    "linearGradient",
    "mi",
    "mo",
    "mn",
    "ms",
    "mtext",
    "annotation-xml",
    "mglyph",
    "malignmark",
];
const OTHERS: &[&str] = &[
    "html",
    "head",
    "body",
    "frameset",
    "frame",
    "base",
    "link",
    "meta",
    "select",
    "option",
    "optgroup",
    "hr",
    "br",
    "img",
    "image",
    "input",
    "keygen",
    "area",
    "wbr",
    "embed",
    "param",
    "source",
    "ruby",
    "rb",
    "rt",
    "rp",
    "rtc",
    "pre",
    "listing",
    "address",
    "section",
    "main",
    "details",
    "summary",
    "fieldset",
    "center",
    "span",
    "x-y",
    "search",
    "dialog",
    "menu",
    "blockquote",
    "selectedcontent",
];
/// Tags that switch the tokenizer's mode.
const RAW: &[&str] = &["script", "style", "textarea", "title", "xmp", "iframe", "noembed", "noframes"];
/// Tags that may swallow the rest of the page, depending on position or scripting; so they are rare.
const SWALLOWING: &[&str] = &["plaintext", "noscript", "title"];

const ATTRIBUTES: &[&str] = &[
    " class=x",
    " CLASS='y z' class=w",
    " id=\"a&amp;b&ltc&copy=1\"",
    " href=/z?a=1&lt=2",
    " type=hidden",
    " type=HiDDen",
    " type=text",
    " encoding=text/html",
    " encoding='Application/XHTML+xml'",
    " xlink:href=a",
    " xml:lang=en",
    " xmlns:xlink=b",
    " xmlns=c",
    " definitionurl=d",
    " viewbox=e",
    " color=red",
    " size=1",
    " a\0b='\0'",
    " \u{e9}=\u{4e2d}",
    " =x",
    " a<b",
    " x='\r\n'",
    "/",
];

const TEXTS: &[&str] = &[
    " ",
    "\n",
    "\t\u{c}",
    "\r\n",
    "\r",
    "x",
    "some words",
    " x ",
    "\u{4e2d}\u{1f600}",
    "&nbsp;",
    "&notin;",
    "&notit;",
    "&amp",
    "&#0;",
    "&#x80;",
    "&#xd800;",
    "&#32;",
    "&#10;",
    "&",
    "\0",
    " \0",
    "\0x",
    "<",
    "</",
    "</>",
    "<3",
    "]]>",
    "-->",
    "\u{1}",
];

const DECLARATIONS: &[&str] = &[
    "<!--c-->",
    "<!-- a - b -- c --!>",
    "<!-->",
    "<!--->",
    "<!--\0-->",
    "<!-- <!-- --",
    "<!c>",
    "<?p q?>",
    "</ c>",
    "<![CDATA[x < y]]>",
    "<![CDATA[ \0]]>",
    "<!doctype html>",
    "<!DOCTYPE>",
    "<!DOCTYPE Html SYSTEM 'about:legacy-compat'>",
    "<!DOCTYPE html PUBLIC \"-//W3C//DTD HTML 4.01//EN\" \"http://www.w3.org/TR/html4/strict.dtd\">",
    "<!DOCTYPE html PUBLIC '-//W3C//DTD XHTML 1.0 Transitional//EN' 'x'>",
    "<!DOCTYPE html PUBLIC \"-//W3C//DTD HTML 4.01 Transitional//EN\">",
    "<!DOCTYPE html PUBLIC \"-//W3C//DTD HTML 3.2//EN\">",
    "<!DOCTYPE x\0y bogus>",
];

fn one_of(choices: &'static [&'static str]) -> impl Strategy<Value = &'static str> + Clone {
    prop::sample::select(choices)
}

fn tag() -> impl Strategy<Value = &'static str> + Clone {
    prop_oneof![
        8 => one_of(ENTANGLING),
        6 => one_of(TABLES),
        4 => one_of(FOREIGN),
        5 => one_of(OTHERS),
    ]
}

/// A start tag, mostly one of `tags`.
fn start(tags: impl Strategy<Value = &'static str>) -> impl Strategy<Value = String> {
    let attributes = prop_oneof![
        3 => Just(Vec::new()),
        1 => prop::collection::vec(one_of(ATTRIBUTES), 1..3),
    ];
    (prop_oneof![60 => tags, 1 => one_of(RAW), 1 => one_of(SWALLOWING)], attributes)
        .prop_map(|(tag, attributes)| format!("<{tag}{}>", attributes.concat()))
}

/// A closed element of raw text: if it were left open, it would swallow the rest of the page.
fn raw() -> impl Strategy<Value = String> {
    let inside = one_of(&[
        "",
        "\n",
        "x",
        " ",
        "&lt;",
        "\0",
        "<b>",
        "</b>",
        "<!--<script>",
        "<!--</script>-->",
        "<svg",
    ]);
    let tag = prop_oneof![8 => one_of(RAW), 2 => Just("noscript")];
    (tag, inside).prop_map(|(tag, inside)| format!("<{tag}>{inside}</{tag}>"))
}

fn piece(tags: impl Strategy<Value = &'static str> + Clone) -> impl Strategy<Value = String> {
    let end = prop_oneof![
        16 => tags.clone(),
        1 => one_of(RAW),
        1 => one_of(SWALLOWING),
        1 => one_of(&["p", "br", "sarcasm", "BODY", "Html"]),
    ];
    prop_oneof![
        12 => start(tags),
        8 => end.prop_map(|tag| format!("</{tag}>")),
        1 => raw(),
        6 => one_of(TEXTS).prop_map(str::to_owned),
        1 => one_of(DECLARATIONS).prop_map(str::to_owned),
    ]
}

/// A page, mostly with a start that fixes the quirks mode or the body.
fn soup() -> impl Strategy<Value = String> {
    let opening = prop_oneof![
        4 => Just(""),
        2 => Just("<!doctype html>"),
        2 => Just("<!doctype html><body>"),
        1 => one_of(DECLARATIONS),
        1 => Just("<frameset>"),
        1 => Just("<table>"),
        1 => Just("<head>"),
    ];
    // Some rules are about many elements with the same name, which are rare unless there are few names.
    let few = prop::collection::vec(tag(), 1..6)
        .prop_flat_map(|few| prop::collection::vec(piece(prop::sample::select(few)), 0..MAX_PIECES));
    let pieces = prop_oneof![few, prop::collection::vec(piece(tag()), 0..MAX_PIECES)];
    (opening, pieces).prop_map(|(opening, pieces)| format!("{opening}{}", pieces.concat()))
}

fn cases() -> u32 {
    std::env::var("PROPTEST_CASES").ok().and_then(|cases| cases.parse().ok()).unwrap_or(CASES)
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: cases(),
        failure_persistence: None,
        max_shrink_iters: 20_000,
        ..ProptestConfig::default()
    })]

    #[test]
    fn trees_are_html5evers(html in soup()) {
        for scripting in [Scripting::Off, Scripting::On] {
            let (ours, theirs) = (ours(&html, scripting), theirs(&html, scripting));
            prop_assert!(ours == theirs, "{html:?} with scripting {scripting:?}\nours\n{ours}\nhtml5ever's\n{theirs}");
        }
    }
}

/// One line per node.
#[derive(Default)]
struct Outline(String);

impl Outline {
    fn line(&mut self, depth: usize, what: std::fmt::Arguments<'_>) {
        writeln!(self.0, "{:indent$}{what}", "", indent = 2 * depth).unwrap();
    }

    /// An element; `attrs` are the names and values, in any order.
    fn element(&mut self, depth: usize, space: &str, name: &str, mut attrs: Vec<(String, String)>) {
        attrs.sort();
        self.line(depth, format_args!("<{space} {name:?}> {attrs:?}"));
    }
}

fn ours(html: &str, scripting: Scripting) -> String {
    let tree = Tree::parse(html, &Limits::default(), scripting);
    let mut out = Outline::default();
    outline_ours(tree.nodes().next().unwrap(), 0, &mut out);
    out.0
}

fn outline_ours(node: NodeRef<'_>, depth: usize, out: &mut Outline) {
    match node.kind() {
        NodeKind::Document => out.line(depth, format_args!("document")),
        NodeKind::Doctype { name, public_id, system_id } => {
            out.line(depth, format_args!("doctype {name:?} {public_id:?} {system_id:?}"));
        }
        NodeKind::Text(text) => out.line(depth, format_args!("text {text:?}")),
        NodeKind::Comment(text) => out.line(depth, format_args!("comment {text:?}")),
        NodeKind::TemplateContents => out.line(depth, format_args!("contents")),
        NodeKind::Element => {
            let attrs =
                node.attrs().map(|attr| (format!("{} {}", attr.namespace, attr.name), attr.value.to_owned()));
            out.element(
                depth,
                node.namespace().unwrap_or("html"),
                node.name().unwrap_or_default(),
                attrs.collect(),
            );
        }
    }
    node.children().for_each(|child| outline_ours(child, depth + 1, out));
}

fn theirs(html: &str, scripting: Scripting) -> String {
    let options = TreeBuilderOpts { scripting_enabled: scripting == Scripting::On, ..Default::default() };
    let builder = WithoutErrors(TreeBuilder::new(Sink::default(), options));
    let tokenizer = Tokenizer::new(builder, TokenizerOpts::default());
    let input = BufferQueue::default();
    input.push_back(html.into());
    // It stops after each script, so that a browser could run it.
    while !matches!(tokenizer.feed(&input), TokenizerResult::Done) {}
    tokenizer.end();
    let html = tokenizer.sink.0.sink.finish();
    let mut out = Outline::default();
    outline_theirs(html.tree.root(), 0, &mut out);
    out.0
}

/// A node of scraper's tree, whose type is from a crate that is not one of our dependencies.
type TheirNode<'a> = <ElementRef<'a> as Deref>::Target;

fn outline_theirs(node: TheirNode<'_>, depth: usize, out: &mut Outline) {
    match node.value() {
        Node::Document => out.line(depth, format_args!("document")),
        Node::Doctype(doctype) => out.line(
            depth,
            format_args!("doctype {:?} {:?} {:?}", doctype.name(), doctype.public_id(), doctype.system_id()),
        ),
        Node::Text(text) => out.line(depth, format_args!("text {:?}", &**text)),
        Node::Comment(comment) => out.line(depth, format_args!("comment {:?}", &**comment)),
        Node::Fragment => out.line(depth, format_args!("contents")),
        Node::ProcessingInstruction(_) => out.line(depth, format_args!("processing instruction")),
        Node::Element(element) => {
            let attrs = element.attrs.iter().map(|(name, value)| {
                // `xmlns` itself has a prefix, which is empty.
                let prefix = name.prefix.as_ref().filter(|prefix| !prefix.is_empty());
                let prefix = prefix.map_or(String::new(), |prefix| format!("{prefix}:"));
                (format!("{} {prefix}{}", short(&name.ns), name.local), value.to_string())
            });
            out.element(depth, short(&element.name.ns), &element.name.local, attrs.collect());
        }
    }
    node.children().for_each(|child| outline_theirs(child, depth + 1, out));
}

/// Our name for a namespace.
fn short(namespace: &str) -> &str {
    match namespace {
        "http://www.w3.org/1999/xhtml" => "html",
        "http://www.w3.org/2000/svg" => "svg",
        "http://www.w3.org/1998/Math/MathML" => "math",
        "http://www.w3.org/1999/xlink" => "xlink",
        "http://www.w3.org/XML/1998/namespace" => "xml",
        "http://www.w3.org/2000/xmlns/" => "xmlns",
        other => other,
    }
}

type Handle = <HtmlTreeSink as TreeSink>::Handle;

/// html5ever's tree builder without the tokenizer's errors: it treats an error as a token, and then keeps the line
/// feed of `<pre></>\n`, which the standard (and our tree) leaves out.
struct WithoutErrors(TreeBuilder<Handle, Sink>);

impl TokenSink for WithoutErrors {
    type Handle = Handle;

    fn process_token(&self, token: Token, line: u64) -> TokenSinkResult<Handle> {
        match token {
            Token::ParseError(_) => TokenSinkResult::Continue,
            token => self.0.process_token(token, line),
        }
    }

    fn end(&self) {
        self.0.end();
    }

    fn adjusted_current_node_present_but_not_in_html_namespace(&self) -> bool {
        self.0.adjusted_current_node_present_but_not_in_html_namespace()
    }
}

/// scraper's tree, and what it does not store: which `annotation-xml` elements contain HTML.
struct Sink {
    tree: HtmlTreeSink,
    integration_points: RefCell<HashSet<Handle>>,
}

impl Default for Sink {
    fn default() -> Self {
        Self { tree: HtmlTreeSink::new(Html::new_document()), integration_points: RefCell::default() }
    }
}

impl TreeSink for Sink {
    type Handle = Handle;
    type Output = Html;
    type ElemName<'a> = <HtmlTreeSink as TreeSink>::ElemName<'a>;

    fn create_element(&self, name: QualName, attrs: Vec<Attribute>, flags: ElementFlags) -> Handle {
        let is_point = flags.mathml_annotation_xml_integration_point;
        let element = self.tree.create_element(name, attrs, flags);
        if is_point {
            self.integration_points.borrow_mut().insert(element);
        }
        element
    }

    fn is_mathml_annotation_xml_integration_point(&self, element: &Handle) -> bool {
        self.integration_points.borrow().contains(element)
    }

    fn finish(self) -> Html {
        self.tree.finish()
    }

    fn parse_error(&self, message: Cow<'static, str>) {
        self.tree.parse_error(message);
    }

    fn get_document(&self) -> Handle {
        self.tree.get_document()
    }

    fn elem_name<'a>(&'a self, element: &'a Handle) -> Self::ElemName<'a> {
        self.tree.elem_name(element)
    }

    fn create_comment(&self, text: StrTendril) -> Handle {
        self.tree.create_comment(text)
    }

    fn create_pi(&self, target: StrTendril, data: StrTendril) -> Handle {
        self.tree.create_pi(target, data)
    }

    fn append(&self, parent: &Handle, child: NodeOrText<Handle>) {
        self.tree.append(parent, child);
    }

    fn append_based_on_parent_node(&self, element: &Handle, above: &Handle, child: NodeOrText<Handle>) {
        self.tree.append_based_on_parent_node(element, above, child);
    }

    fn append_doctype_to_document(&self, name: StrTendril, public_id: StrTendril, system_id: StrTendril) {
        self.tree.append_doctype_to_document(name, public_id, system_id);
    }

    fn get_template_contents(&self, template: &Handle) -> Handle {
        self.tree.get_template_contents(template)
    }

    fn same_node(&self, one: &Handle, other: &Handle) -> bool {
        self.tree.same_node(one, other)
    }

    fn set_quirks_mode(&self, mode: QuirksMode) {
        self.tree.set_quirks_mode(mode);
    }

    fn append_before_sibling(&self, sibling: &Handle, node: NodeOrText<Handle>) {
        self.tree.append_before_sibling(sibling, node);
    }

    fn add_attrs_if_missing(&self, element: &Handle, attrs: Vec<Attribute>) {
        self.tree.add_attrs_if_missing(element, attrs);
    }

    fn remove_from_parent(&self, node: &Handle) {
        self.tree.remove_from_parent(node);
    }

    fn reparent_children(&self, from: &Handle, to: &Handle) {
        self.tree.reparent_children(from, to);
    }
}
