//! The rules for the body, which handle by far the most tokens.

use super::super::Scripting;
use super::super::attributes::AttrsId;
use super::super::elements::{
    BUTTON_SCOPE, HEADINGS, IMPLIED, LIST_SCOPE, OF_HEAD, SCOPE, SPECIAL, Tag, TagSet,
};
use super::super::names::Space;
use super::super::tokenizer::Mode;
use super::{Construction, Format, Insertion, Next, TagToken, Token};

/// Elements that end the search for an open list item: special, and neither `address`, `div` nor `p`.
const ENDS_ITEM_SEARCH: TagSet = SPECIAL.without(&[Tag::Address, Tag::Div, Tag::P]);

impl Construction<'_> {
    pub(super) fn in_body(&mut self, token: Token<'_>) -> Next {
        match token {
            Token::Text(text) => {
                self.reconstruct();
                if self.frameset_ok && text.bytes().any(|byte| !byte.is_ascii_whitespace()) {
                    self.frameset_ok = false;
                }
                self.insert_text(text)
            }
            Token::Null => Next::Done,
            Token::Comment(text) => self.insert_comment(text),
            Token::Start(tag) => self.start_in_body(tag),
            Token::End(tag) => self.end_in_body(tag),
            Token::Eof if self.template_modes.is_empty() => Next::Done,
            Token::Eof => self.in_template(token),
        }
    }

    fn start_in_body(&mut self, token: TagToken) -> Next {
        match token.tag {
            Tag::Other | Tag::Span | Tag::Sub | Tag::Sup | Tag::Var | Tag::Ruby => {
                self.reconstruct();
                self.insert(token);
            }
            Tag::A => {
                if let Some((_, node, _)) = self.find_formatting(Tag::A) {
                    self.adopt(token);
                    self.remove_formatting(node);
                    self.remove_open(node);
                }
                self.reconstruct();
                self.insert_formatting(token);
            }
            Tag::B
            | Tag::Big
            | Tag::Code
            | Tag::Em
            | Tag::Font
            | Tag::I
            | Tag::S
            | Tag::Small
            | Tag::Strike
            | Tag::Strong
            | Tag::Tt
            | Tag::U => {
                self.reconstruct();
                self.insert_formatting(token);
            }
            Tag::Address
            | Tag::Article
            | Tag::Aside
            | Tag::Blockquote
            | Tag::Center
            | Tag::Details
            | Tag::Dialog
            | Tag::Dir
            | Tag::Div
            | Tag::Dl
            | Tag::Fieldset
            | Tag::Figcaption
            | Tag::Figure
            | Tag::Footer
            | Tag::Header
            | Tag::Hgroup
            | Tag::Main
            | Tag::Menu
            | Tag::Nav
            | Tag::Ol
            | Tag::P
            | Tag::Search
            | Tag::Section
            | Tag::Summary
            | Tag::Ul => {
                self.close_p_in_button_scope();
                self.insert(token);
            }
            Tag::Li | Tag::Dd | Tag::Dt => self.start_item(token),
            Tag::H1 | Tag::H2 | Tag::H3 | Tag::H4 | Tag::H5 | Tag::H6 => {
                self.close_p_in_button_scope();
                if HEADINGS.has(self.current().tag) {
                    self.pop();
                }
                self.insert(token);
            }
            Tag::Pre | Tag::Listing => {
                self.close_p_in_button_scope();
                self.insert(token);
                self.ignore_line_feed = true;
                self.frameset_ok = false;
            }
            Tag::Area | Tag::Br | Tag::Embed | Tag::Img | Tag::Keygen | Tag::Wbr => {
                self.reconstruct();
                self.insert_closed(token);
                self.frameset_ok = false;
            }
            Tag::Image => {
                let image = TagToken { attrs: token.attrs, ..self.token(Tag::Img) };
                return self.start_in_body(image);
            }
            Tag::Table => {
                if !self.quirks {
                    self.close_p_in_button_scope();
                }
                self.insert(token);
                self.frameset_ok = false;
                self.mode = Insertion::InTable;
            }
            tag if OF_HEAD.has(tag) => return self.in_head(Token::Start(token)),
            _ => return self.rare_start_in_body(token),
        }
        Next::Done
    }

    fn rare_start_in_body(&mut self, token: TagToken) -> Next {
        match token.tag {
            Tag::Html => {
                if !self.is_open(Tag::Template) {
                    self.add_attributes(self.root(), token.attrs);
                }
            }
            Tag::Body => {
                if let Some(body) = self.body().filter(|_| !self.is_open(Tag::Template)) {
                    self.frameset_ok = false;
                    self.add_attributes(body, token.attrs);
                }
            }
            Tag::Frameset => {
                if let Some(body) = self.body().filter(|_| self.frameset_ok) {
                    self.build.detach(body);
                    self.open.truncate(1);
                    self.insert(token);
                    self.mode = Insertion::InFrameset;
                }
            }
            Tag::Form => {
                let in_template = self.is_open(Tag::Template);
                if self.form.is_none() || in_template {
                    self.close_p_in_button_scope();
                    let form = self.insert(token);
                    if !in_template {
                        self.form = Some(form);
                    }
                }
            }
            Tag::Button => {
                if self.has_in_scope(SCOPE, Tag::Button) {
                    self.close_implied(IMPLIED);
                    self.close(Tag::Button);
                }
                self.reconstruct();
                self.insert(token);
                self.frameset_ok = false;
            }
            Tag::Nobr => {
                self.reconstruct();
                if self.has_in_scope(SCOPE, Tag::Nobr) {
                    self.adopt(token);
                    self.reconstruct();
                }
                self.insert_formatting(token);
            }
            Tag::Applet | Tag::Marquee | Tag::Object => {
                self.reconstruct();
                self.insert(token);
                self.formatting.push(Format::Marker);
                self.frameset_ok = false;
            }
            Tag::Input => self.input(token),
            Tag::Param | Tag::Source | Tag::Track => {
                self.insert_closed(token);
            }
            Tag::Hr => {
                self.close_p_in_button_scope();
                if self.has_in_scope(SCOPE, Tag::Select) {
                    self.close_implied(IMPLIED);
                }
                self.insert_closed(token);
                self.frameset_ok = false;
            }
            Tag::Select | Tag::Option | Tag::Optgroup => self.start_choice(token),
            Tag::Rb | Tag::Rtc | Tag::Rp | Tag::Rt => {
                if self.has_in_scope(SCOPE, Tag::Ruby) {
                    let but = if matches!(token.tag, Tag::Rp | Tag::Rt) { Tag::Rtc } else { Tag::Ruby };
                    self.close_implied_but(but);
                }
                self.insert(token);
            }
            Tag::Math | Tag::Svg => {
                self.reconstruct();
                let space = if token.tag == Tag::Svg { Space::Svg } else { Space::Math };
                self.insert_foreign(token, space);
            }
            Tag::Caption
            | Tag::Col
            | Tag::Colgroup
            | Tag::Frame
            | Tag::Head
            | Tag::Tbody
            | Tag::Td
            | Tag::Tfoot
            | Tag::Th
            | Tag::Thead
            | Tag::Tr => {}
            Tag::Textarea | Tag::Xmp | Tag::Iframe | Tag::Noembed | Tag::Noscript | Tag::Plaintext => {
                return self.start_raw(token);
            }
            _ => {
                self.reconstruct();
                self.insert(token);
            }
        }
        Next::Done
    }

    /// Elements whose content is text.
    fn start_raw(&mut self, token: TagToken) -> Next {
        match token.tag {
            Tag::Plaintext => {
                self.close_p_in_button_scope();
                self.insert(token);
                Next::Read(Mode::Plaintext)
            }
            Tag::Textarea => {
                self.ignore_line_feed = true;
                self.frameset_ok = false;
                self.insert_raw(token, Mode::Rcdata)
            }
            Tag::Xmp => {
                self.close_p_in_button_scope();
                self.reconstruct();
                self.frameset_ok = false;
                self.insert_raw(token, Mode::Rawtext)
            }
            Tag::Iframe => {
                self.frameset_ok = false;
                self.insert_raw(token, Mode::Rawtext)
            }
            Tag::Noscript if self.scripting == Scripting::Off => {
                self.reconstruct();
                self.insert(token);
                Next::Done
            }
            _ => self.insert_raw(token, Mode::Rawtext),
        }
    }

    /// `li`, `dd`, `dt`: closes an open one of the same kind.
    fn start_item(&mut self, token: TagToken) {
        self.frameset_ok = false;
        let kind: &[Tag] = if token.tag == Tag::Li { &[Tag::Li] } else { &[Tag::Dd, Tag::Dt] };
        for open in self.open.iter().rev() {
            if kind.contains(&open.tag) {
                let item = open.tag;
                self.close_implied_but(item);
                self.close(item);
                break;
            }
            if ENDS_ITEM_SEARCH.has(open.tag) {
                break;
            }
        }
        self.close_p_in_button_scope();
        self.insert(token);
    }

    fn input(&mut self, token: TagToken) {
        if self.has_in_scope(SCOPE, Tag::Select) {
            self.close(Tag::Select);
        }
        self.reconstruct();
        self.insert_closed(token);
        self.frameset_ok &= self.is_hidden_input(token.attrs);
    }

    pub(super) fn is_hidden_input(&self, attrs: AttrsId) -> bool {
        let kind = self.attribute(attrs, "type");
        kind.is_some_and(|kind| kind.eq_ignore_ascii_case("hidden"))
    }

    /// `select`, `option`, `optgroup`.
    fn start_choice(&mut self, token: TagToken) {
        let in_select = self.has_in_scope(SCOPE, Tag::Select);
        match token.tag {
            Tag::Select if self.context.is_some_and(|context| context.tag == Tag::Select) => return,
            Tag::Select if in_select => return self.close(Tag::Select),
            Tag::Select => self.frameset_ok = false,
            Tag::Option if in_select => self.close_implied_but(Tag::Optgroup),
            _ if in_select => self.close_implied(IMPLIED),
            _ if self.current().tag == Tag::Option => self.pop(),
            _ => {}
        }
        self.reconstruct();
        self.insert(token);
    }

    fn end_in_body(&mut self, token: TagToken) -> Next {
        match token.tag {
            Tag::A
            | Tag::B
            | Tag::Big
            | Tag::Code
            | Tag::Em
            | Tag::Font
            | Tag::I
            | Tag::Nobr
            | Tag::S
            | Tag::Small
            | Tag::Strike
            | Tag::Strong
            | Tag::Tt
            | Tag::U => self.adopt(token),
            Tag::P => {
                if !self.has_in_scope(BUTTON_SCOPE, Tag::P) {
                    self.insert_implied(Tag::P);
                }
                self.close_p();
            }
            Tag::Address
            | Tag::Article
            | Tag::Aside
            | Tag::Blockquote
            | Tag::Button
            | Tag::Center
            | Tag::Details
            | Tag::Dialog
            | Tag::Dir
            | Tag::Div
            | Tag::Dl
            | Tag::Fieldset
            | Tag::Figcaption
            | Tag::Figure
            | Tag::Footer
            | Tag::Header
            | Tag::Hgroup
            | Tag::Listing
            | Tag::Main
            | Tag::Menu
            | Tag::Nav
            | Tag::Ol
            | Tag::Pre
            | Tag::Search
            | Tag::Section
            | Tag::Select
            | Tag::Summary
            | Tag::Ul => {
                if self.has_in_scope(SCOPE, token.tag) {
                    self.close_implied(IMPLIED);
                    self.close(token.tag);
                }
            }
            Tag::Li | Tag::Dd | Tag::Dt => {
                let scope = if token.tag == Tag::Li { LIST_SCOPE } else { SCOPE };
                if self.has_in_scope(scope, token.tag) {
                    self.close_implied_but(token.tag);
                    self.close(token.tag);
                }
            }
            Tag::H1 | Tag::H2 | Tag::H3 | Tag::H4 | Tag::H5 | Tag::H6 => {
                if self.in_scope(SCOPE, |open| HEADINGS.has(open.tag)) {
                    self.close_implied(IMPLIED);
                    self.close_until(|tag| HEADINGS.has(tag));
                }
            }
            Tag::Body => {
                if self.has_in_scope(SCOPE, Tag::Body) {
                    self.mode = Insertion::AfterBody;
                }
            }
            Tag::Html => {
                if self.has_in_scope(SCOPE, Tag::Body) {
                    return Next::Again(Insertion::AfterBody);
                }
            }
            Tag::Form => self.end_form(),
            Tag::Applet | Tag::Marquee | Tag::Object => {
                if self.has_in_scope(SCOPE, token.tag) {
                    self.close_implied(IMPLIED);
                    self.close(token.tag);
                    self.clear_formatting_to_marker();
                }
            }
            Tag::Br => return self.start_in_body(token),
            Tag::Template => return self.in_head(Token::End(token)),
            _ => self.close_any(token),
        }
        Next::Done
    }

    fn end_form(&mut self) {
        if self.is_open(Tag::Template) {
            if self.has_in_scope(SCOPE, Tag::Form) {
                self.close_implied(IMPLIED);
                self.close(Tag::Form);
            }
        } else if let Some(form) = self.form.take()
            && self.in_scope(SCOPE, |open| open.node == form)
        {
            self.close_implied(IMPLIED);
            self.remove_open(form);
        }
    }

    pub(super) fn in_text(&mut self, token: Token<'_>) -> Next {
        match token {
            Token::Text(text) => self.insert_text(text),
            Token::Eof => {
                self.pop();
                Next::Again(self.original)
            }
            Token::End(_) => {
                self.pop();
                self.mode = self.original;
                Next::Done
            }
            // Nothing else can occur in text.
            Token::Null | Token::Comment(_) | Token::Start(_) => Next::Done,
        }
    }
}
