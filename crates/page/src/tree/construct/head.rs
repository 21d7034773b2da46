//! The rules for everything before and after the body, including frame sets.

use super::super::Scripting;
use super::super::attributes::AttrsId;
use super::super::build::DOCUMENT;
use super::super::elements::{IMPLIED_IN_TEMPLATE, OF_HEAD, Tag};
use super::super::tokenizer::Mode;
use super::{Construction, Format, Insertion, Next, Token};

/// Whether a text is white space. In the modes here text is split, so its first character decides.
fn is_space(text: &str) -> bool {
    text.bytes().next().is_none_or(|byte| byte.is_ascii_whitespace())
}

impl Construction<'_> {
    pub(super) fn initial(&mut self, token: Token<'_>) -> Next {
        match token {
            Token::Text(text) if is_space(text) => Next::Done,
            Token::Comment(text) => self.append_comment(DOCUMENT, text),
            _ => {
                self.quirks = true;
                Next::Again(Insertion::BeforeHtml)
            }
        }
    }

    pub(super) fn before_html(&mut self, token: Token<'_>) -> Next {
        match token {
            Token::Text(text) if is_space(text) => return Next::Done,
            Token::Comment(text) => return self.append_comment(DOCUMENT, text),
            Token::Start(tag) if tag.tag == Tag::Html => {
                self.create_root(tag.attrs);
                self.mode = Insertion::BeforeHead;
                return Next::Done;
            }
            Token::End(tag) if !matches!(tag.tag, Tag::Head | Tag::Body | Tag::Html | Tag::Br) => {
                return Next::Done;
            }
            _ => {}
        }
        self.create_root(AttrsId::NONE);
        Next::Again(Insertion::BeforeHead)
    }

    pub(super) fn before_head(&mut self, token: Token<'_>) -> Next {
        match token {
            Token::Text(text) if is_space(text) => return Next::Done,
            Token::Comment(text) => return self.insert_comment(text),
            Token::Start(tag) if tag.tag == Tag::Html => return self.in_body(token),
            Token::Start(tag) if tag.tag == Tag::Head => {
                self.head = Some(self.insert(tag));
                self.mode = Insertion::InHead;
                return Next::Done;
            }
            Token::End(tag) if !matches!(tag.tag, Tag::Head | Tag::Body | Tag::Html | Tag::Br) => {
                return Next::Done;
            }
            _ => {}
        }
        self.head = Some(self.insert_implied(Tag::Head));
        Next::Again(Insertion::InHead)
    }

    pub(super) fn in_head(&mut self, token: Token<'_>) -> Next {
        match token {
            Token::Text(text) if is_space(text) => return self.insert_text(text),
            Token::Comment(text) => return self.insert_comment(text),
            Token::Start(tag) => match tag.tag {
                Tag::Html => return self.in_body(token),
                Tag::Base | Tag::Basefont | Tag::Bgsound | Tag::Link | Tag::Meta => {
                    self.insert_closed(tag);
                    return Next::Done;
                }
                Tag::Title => return self.insert_raw(tag, Mode::Rcdata),
                Tag::Noscript if self.scripting == Scripting::Off => {
                    self.insert(tag);
                    self.mode = Insertion::InHeadNoscript;
                    return Next::Done;
                }
                Tag::Noframes | Tag::Style | Tag::Noscript => return self.insert_raw(tag, Mode::Rawtext),
                Tag::Script => return self.insert_raw(tag, Mode::Script),
                Tag::Template => {
                    self.formatting.push(Format::Marker);
                    self.frameset_ok = false;
                    self.mode = Insertion::InTemplate;
                    self.template_modes.push(Insertion::InTemplate);
                    self.insert(tag);
                    return Next::Done;
                }
                Tag::Head => return Next::Done,
                _ => {}
            },
            Token::End(tag) => match tag.tag {
                Tag::Head => {
                    self.pop();
                    self.mode = Insertion::AfterHead;
                    return Next::Done;
                }
                Tag::Template => {
                    self.end_template();
                    return Next::Done;
                }
                Tag::Body | Tag::Html | Tag::Br => {}
                _ => return Next::Done,
            },
            _ => {}
        }
        self.pop();
        Next::Again(Insertion::AfterHead)
    }

    fn end_template(&mut self) {
        if self.is_open(Tag::Template) {
            self.close_implied(IMPLIED_IN_TEMPLATE);
            self.close(Tag::Template);
            self.clear_formatting_to_marker();
            self.template_modes.pop();
            self.mode = self.reset_mode();
        }
    }

    pub(super) fn in_head_noscript(&mut self, token: Token<'_>) -> Next {
        match token {
            Token::Text(text) if is_space(text) => return self.in_head(token),
            Token::Comment(_) => return self.in_head(token),
            Token::Start(tag) => match tag.tag {
                Tag::Html => return self.in_body(token),
                Tag::Basefont | Tag::Bgsound | Tag::Link | Tag::Meta | Tag::Noframes | Tag::Style => {
                    return self.in_head(token);
                }
                Tag::Head | Tag::Noscript => return Next::Done,
                _ => {}
            },
            Token::End(tag) if tag.tag == Tag::Noscript => {
                self.pop();
                self.mode = Insertion::InHead;
                return Next::Done;
            }
            Token::End(tag) if tag.tag != Tag::Br => return Next::Done,
            _ => {}
        }
        self.pop();
        Next::Again(Insertion::InHead)
    }

    pub(super) fn after_head(&mut self, token: Token<'_>) -> Next {
        match token {
            Token::Text(text) if is_space(text) => return self.insert_text(text),
            Token::Comment(text) => return self.insert_comment(text),
            Token::Start(tag) => match tag.tag {
                Tag::Html => return self.in_body(token),
                Tag::Body => {
                    self.insert(tag);
                    self.frameset_ok = false;
                    self.mode = Insertion::InBody;
                    return Next::Done;
                }
                Tag::Frameset => {
                    self.insert(tag);
                    self.mode = Insertion::InFrameset;
                    return Next::Done;
                }
                Tag::Head => return Next::Done,
                tag if OF_HEAD.has(tag) => return self.in_closed_head(token),
                _ => {}
            },
            Token::End(tag) => match tag.tag {
                Tag::Template => return self.in_head(token),
                Tag::Body | Tag::Html | Tag::Br => {}
                _ => return Next::Done,
            },
            _ => {}
        }
        self.insert_implied(Tag::Body);
        Next::Again(Insertion::InBody)
    }

    /// Elements of the head that follow its end are still added to it.
    fn in_closed_head(&mut self, token: Token<'_>) -> Next {
        let Some(head) = self.head else { return self.in_head(token) };
        let name = self.token(Tag::Head).name;
        self.open.push(super::Open { node: head, name, tag: Tag::Head, space: super::Space::Html });
        let next = self.in_head(token);
        self.remove_open(head);
        next
    }

    pub(super) fn in_template(&mut self, token: Token<'_>) -> Next {
        let mode = match token {
            Token::Text(_) | Token::Comment(_) => return self.in_body(token),
            Token::Null => return Next::Done,
            Token::Start(tag) => match tag.tag {
                tag if OF_HEAD.has(tag) => return self.in_head(token),
                Tag::Caption | Tag::Colgroup | Tag::Tbody | Tag::Tfoot | Tag::Thead => Insertion::InTable,
                Tag::Col => Insertion::InColumnGroup,
                Tag::Tr => Insertion::InTableBody,
                Tag::Td | Tag::Th => Insertion::InRow,
                _ => Insertion::InBody,
            },
            Token::End(tag) if tag.tag == Tag::Template => return self.in_head(token),
            Token::End(_) => return Next::Done,
            Token::Eof if !self.is_open(Tag::Template) => return Next::Done,
            Token::Eof => {
                self.close(Tag::Template);
                self.clear_formatting_to_marker();
                self.template_modes.pop();
                return Next::Again(self.reset_mode());
            }
        };
        self.template_modes.pop();
        self.template_modes.push(mode);
        Next::Again(mode)
    }

    pub(super) fn after_body(&mut self, token: Token<'_>) -> Next {
        match token {
            Token::Text(text) if is_space(text) => self.in_body(token),
            Token::Comment(text) => self.append_comment(self.root(), text),
            Token::Start(tag) if tag.tag == Tag::Html => self.in_body(token),
            Token::End(tag) if tag.tag == Tag::Html => {
                if self.context.is_none() {
                    self.mode = Insertion::AfterAfterBody;
                }
                Next::Done
            }
            Token::Eof => Next::Done,
            _ => Next::Again(Insertion::InBody),
        }
    }

    pub(super) fn in_frameset(&mut self, token: Token<'_>) -> Next {
        match token {
            Token::Text(text) if is_space(text) => return self.insert_text(text),
            Token::Comment(text) => return self.insert_comment(text),
            Token::Start(tag) => match tag.tag {
                Tag::Html => return self.in_body(token),
                Tag::Frameset => {
                    self.insert(tag);
                }
                Tag::Frame => {
                    self.insert_closed(tag);
                }
                Tag::Noframes => return self.in_head(token),
                _ => {}
            },
            Token::End(tag) if tag.tag == Tag::Frameset && self.open.len() != 1 => {
                self.pop();
                if self.context.is_none() && self.current().tag != Tag::Frameset {
                    self.mode = Insertion::AfterFrameset;
                }
            }
            _ => {}
        }
        Next::Done
    }

    pub(super) fn after_frameset(&mut self, token: Token<'_>) -> Next {
        match token {
            Token::Text(text) if is_space(text) => self.insert_text(text),
            Token::Comment(text) => self.insert_comment(text),
            Token::Start(tag) if tag.tag == Tag::Html => self.in_body(token),
            Token::Start(tag) if tag.tag == Tag::Noframes => self.in_head(token),
            Token::End(tag) if tag.tag == Tag::Html => {
                self.mode = Insertion::AfterAfterFrameset;
                Next::Done
            }
            _ => Next::Done,
        }
    }

    pub(super) fn after_after_body(&mut self, token: Token<'_>) -> Next {
        match token {
            Token::Text(text) if is_space(text) => self.in_body(token),
            Token::Comment(text) => self.append_comment(DOCUMENT, text),
            Token::Start(tag) if tag.tag == Tag::Html => self.in_body(token),
            Token::Eof => Next::Done,
            _ => Next::Again(Insertion::InBody),
        }
    }

    pub(super) fn after_after_frameset(&mut self, token: Token<'_>) -> Next {
        match token {
            Token::Text(text) if is_space(text) => self.in_body(token),
            Token::Comment(text) => self.append_comment(DOCUMENT, text),
            Token::Start(tag) if tag.tag == Tag::Html => self.in_body(token),
            Token::Start(tag) if tag.tag == Tag::Noframes => self.in_head(token),
            _ => Next::Done,
        }
    }
}
