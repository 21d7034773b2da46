//! The rules for tables.

use super::super::elements::{BODY_CONTEXT, CELLS, FOSTERED, IMPLIED, ROW_CONTEXT, TABLE_SCOPE, Tag};
use super::{Construction, Format, Insertion, Next, TagToken, Token};

impl Construction<'_> {
    pub(super) fn in_table(&mut self, token: Token<'_>) -> Next {
        match token {
            Token::Null | Token::Text(_) => {
                if FOSTERED.has(self.current().tag) {
                    self.table_text.clear();
                    self.original = self.mode;
                    return Next::Again(Insertion::InTableText);
                }
                self.foster_in_body(token)
            }
            Token::Comment(text) => self.insert_comment(text),
            Token::Start(tag) => self.start_in_table(tag),
            Token::End(tag) => match tag.tag {
                Tag::Table => {
                    if self.has_in_scope(TABLE_SCOPE, Tag::Table) {
                        self.close(Tag::Table);
                        self.mode = self.reset_mode();
                    }
                    Next::Done
                }
                Tag::Body
                | Tag::Caption
                | Tag::Col
                | Tag::Colgroup
                | Tag::Html
                | Tag::Tbody
                | Tag::Td
                | Tag::Tfoot
                | Tag::Th
                | Tag::Thead
                | Tag::Tr => Next::Done,
                Tag::Template => self.in_head(token),
                _ => self.foster_in_body(token),
            },
            Token::Eof => self.in_body(token),
        }
    }

    fn start_in_table(&mut self, tag: TagToken) -> Next {
        let token = Token::Start(tag);
        match tag.tag {
            Tag::Caption => {
                self.clear_to(TABLE_SCOPE);
                self.formatting.push(Format::Marker);
                self.insert(tag);
                self.mode = Insertion::InCaption;
            }
            Tag::Colgroup => {
                self.clear_to(TABLE_SCOPE);
                self.insert(tag);
                self.mode = Insertion::InColumnGroup;
            }
            Tag::Col => {
                self.clear_to(TABLE_SCOPE);
                self.insert_implied(Tag::Colgroup);
                return Next::Again(Insertion::InColumnGroup);
            }
            Tag::Tbody | Tag::Tfoot | Tag::Thead => {
                self.clear_to(TABLE_SCOPE);
                self.insert(tag);
                self.mode = Insertion::InTableBody;
            }
            Tag::Td | Tag::Th | Tag::Tr => {
                self.clear_to(TABLE_SCOPE);
                self.insert_implied(Tag::Tbody);
                return Next::Again(Insertion::InTableBody);
            }
            Tag::Table => {
                if self.has_in_scope(TABLE_SCOPE, Tag::Table) {
                    self.close(Tag::Table);
                    return Next::Again(self.reset_mode());
                }
            }
            Tag::Style | Tag::Script | Tag::Template => return self.in_head(token),
            Tag::Input if self.is_hidden_input(tag.attrs) => {
                self.insert_closed(tag);
            }
            Tag::Form => {
                if self.form.is_none() && !self.is_open(Tag::Template) {
                    self.form = Some(self.insert_closed(tag));
                }
            }
            _ => return self.foster_in_body(token),
        }
        Next::Done
    }

    /// Content that may not be in a table is inserted before it.
    fn foster_in_body(&mut self, token: Token<'_>) -> Next {
        self.foster = true;
        let next = self.in_body(token);
        self.foster = false;
        next
    }

    pub(super) fn in_table_text(&mut self, token: Token<'_>) -> Next {
        match token {
            Token::Null => return Next::Done,
            Token::Text(text) => {
                self.table_text.push_str(text);
                return Next::Done;
            }
            _ => {}
        }
        let text = std::mem::take(&mut self.table_text);
        if text.bytes().any(|byte| !byte.is_ascii_whitespace()) {
            self.foster_in_body(Token::Text(&text));
        } else if !text.is_empty() {
            self.insert_text(&text);
        }
        self.table_text = text;
        Next::Again(self.original)
    }

    pub(super) fn in_caption(&mut self, token: Token<'_>) -> Next {
        let ends = match token {
            Token::Start(tag) => matches!(
                tag.tag,
                Tag::Caption
                    | Tag::Col
                    | Tag::Colgroup
                    | Tag::Tbody
                    | Tag::Td
                    | Tag::Tfoot
                    | Tag::Th
                    | Tag::Thead
                    | Tag::Tr
            ),
            Token::End(tag) => match tag.tag {
                Tag::Table | Tag::Caption => true,
                Tag::Body
                | Tag::Col
                | Tag::Colgroup
                | Tag::Html
                | Tag::Tbody
                | Tag::Td
                | Tag::Tfoot
                | Tag::Th
                | Tag::Thead
                | Tag::Tr => return Next::Done,
                _ => false,
            },
            _ => false,
        };
        if !ends {
            return self.in_body(token);
        }
        if !self.has_in_scope(TABLE_SCOPE, Tag::Caption) {
            return Next::Done;
        }
        self.close_implied(IMPLIED);
        self.close(Tag::Caption);
        self.clear_formatting_to_marker();
        if matches!(token, Token::End(tag) if tag.tag == Tag::Caption) {
            self.mode = Insertion::InTable;
            return Next::Done;
        }
        Next::Again(Insertion::InTable)
    }

    pub(super) fn in_column_group(&mut self, token: Token<'_>) -> Next {
        match token {
            Token::Text(text) if text.bytes().next().is_none_or(|byte| byte.is_ascii_whitespace()) => {
                return self.insert_text(text);
            }
            Token::Comment(text) => return self.insert_comment(text),
            Token::Start(tag) => match tag.tag {
                Tag::Html => return self.in_body(token),
                Tag::Col => {
                    self.insert_closed(tag);
                    return Next::Done;
                }
                Tag::Template => return self.in_head(token),
                _ => {}
            },
            Token::End(tag) => match tag.tag {
                Tag::Colgroup => {
                    if self.current().tag == Tag::Colgroup {
                        self.pop();
                        self.mode = Insertion::InTable;
                    }
                    return Next::Done;
                }
                Tag::Col => return Next::Done,
                Tag::Template => return self.in_head(token),
                _ => {}
            },
            Token::Eof => return self.in_body(token),
            Token::Text(_) | Token::Null => {}
        }
        if self.current().tag != Tag::Colgroup {
            return Next::Done;
        }
        self.pop();
        Next::Again(Insertion::InTable)
    }

    pub(super) fn in_table_body(&mut self, token: Token<'_>) -> Next {
        match token {
            Token::Start(tag) => match tag.tag {
                Tag::Tr => {
                    self.clear_to(BODY_CONTEXT);
                    self.insert(tag);
                    self.mode = Insertion::InRow;
                    Next::Done
                }
                Tag::Th | Tag::Td => {
                    self.clear_to(BODY_CONTEXT);
                    self.insert_implied(Tag::Tr);
                    Next::Again(Insertion::InRow)
                }
                Tag::Caption | Tag::Col | Tag::Colgroup | Tag::Tbody | Tag::Tfoot | Tag::Thead => {
                    self.end_table_body()
                }
                _ => self.in_table(token),
            },
            Token::End(tag) => match tag.tag {
                Tag::Tbody | Tag::Tfoot | Tag::Thead => {
                    if self.has_in_scope(TABLE_SCOPE, tag.tag) {
                        self.clear_to(BODY_CONTEXT);
                        self.pop();
                        self.mode = Insertion::InTable;
                    }
                    Next::Done
                }
                Tag::Table => self.end_table_body(),
                Tag::Body
                | Tag::Caption
                | Tag::Col
                | Tag::Colgroup
                | Tag::Html
                | Tag::Td
                | Tag::Th
                | Tag::Tr => Next::Done,
                _ => self.in_table(token),
            },
            _ => self.in_table(token),
        }
    }

    fn end_table_body(&mut self) -> Next {
        let bodies = |tag| matches!(tag, Tag::Table | Tag::Tbody | Tag::Tfoot);
        if !self.in_scope(TABLE_SCOPE, |open| bodies(open.tag)) {
            return Next::Done;
        }
        self.clear_to(BODY_CONTEXT);
        self.pop();
        Next::Again(Insertion::InTable)
    }

    pub(super) fn in_row(&mut self, token: Token<'_>) -> Next {
        match token {
            Token::Start(tag) => match tag.tag {
                Tag::Th | Tag::Td => {
                    self.clear_to(ROW_CONTEXT);
                    self.insert(tag);
                    self.mode = Insertion::InCell;
                    self.formatting.push(Format::Marker);
                    Next::Done
                }
                Tag::Caption | Tag::Col | Tag::Colgroup | Tag::Tbody | Tag::Tfoot | Tag::Thead | Tag::Tr => {
                    self.end_row()
                }
                _ => self.in_table(token),
            },
            Token::End(tag) => match tag.tag {
                Tag::Tr => {
                    if let Next::Again(mode) = self.end_row() {
                        self.mode = mode;
                    }
                    Next::Done
                }
                Tag::Table => self.end_row(),
                Tag::Tbody | Tag::Tfoot | Tag::Thead if self.has_in_scope(TABLE_SCOPE, tag.tag) => {
                    self.end_row()
                }
                Tag::Tbody
                | Tag::Tfoot
                | Tag::Thead
                | Tag::Body
                | Tag::Caption
                | Tag::Col
                | Tag::Colgroup
                | Tag::Html
                | Tag::Td
                | Tag::Th => Next::Done,
                _ => self.in_table(token),
            },
            _ => self.in_table(token),
        }
    }

    fn end_row(&mut self) -> Next {
        if !self.has_in_scope(TABLE_SCOPE, Tag::Tr) {
            return Next::Done;
        }
        self.clear_to(ROW_CONTEXT);
        self.pop();
        Next::Again(Insertion::InTableBody)
    }

    pub(super) fn in_cell(&mut self, token: Token<'_>) -> Next {
        match token {
            Token::Start(tag) => match tag.tag {
                Tag::Caption
                | Tag::Col
                | Tag::Colgroup
                | Tag::Tbody
                | Tag::Td
                | Tag::Tfoot
                | Tag::Th
                | Tag::Thead
                | Tag::Tr => {
                    if !self.in_scope(TABLE_SCOPE, |open| CELLS.has(open.tag)) {
                        return Next::Done;
                    }
                    self.close_cell()
                }
                _ => self.in_body(token),
            },
            Token::End(tag) => match tag.tag {
                Tag::Td | Tag::Th => {
                    if self.has_in_scope(TABLE_SCOPE, tag.tag) {
                        self.close_implied(IMPLIED);
                        self.close(tag.tag);
                        self.clear_formatting_to_marker();
                        self.mode = Insertion::InRow;
                    }
                    Next::Done
                }
                Tag::Body | Tag::Caption | Tag::Col | Tag::Colgroup | Tag::Html => Next::Done,
                Tag::Table | Tag::Tbody | Tag::Tfoot | Tag::Thead | Tag::Tr => {
                    if !self.has_in_scope(TABLE_SCOPE, tag.tag) {
                        return Next::Done;
                    }
                    self.close_cell()
                }
                _ => self.in_body(token),
            },
            _ => self.in_body(token),
        }
    }

    fn close_cell(&mut self) -> Next {
        self.close_implied(IMPLIED);
        self.close_until(|tag| CELLS.has(tag));
        self.clear_formatting_to_marker();
        Next::Again(Insertion::InRow)
    }
}
