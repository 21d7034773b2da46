//! The pages of `archive`.

use super::super::frame::Head;
use super::super::pieces::Fact;
use super::super::plan::Plan;
use super::super::site_map::{PageId, PageKind};
use super::super::writer::PageWriter;
use super::{Chronicle, ChroniclePage, FIRST_YEAR, PER_DIRECTORY, PER_PAGE};

impl Chronicle {
    /// Writes a page.
    pub(super) fn write_page(&self, page: PageId<ChroniclePage>, out: &mut PageWriter<'_, Self>) {
        let directory = out.span(PER_DIRECTORY);
        match page.kind {
            ChroniclePage::Home => {
                out.begin(&Head::plain("From the archive of the Chronicle"));
                let stories: Vec<u64> =
                    (0..14).map(|n| out.of("today").at(n).below(self.stories.len())).collect();
                self.headlines(stories, out);
            }
            ChroniclePage::Sections => {
                out.begin(&Head::plain("Sections"));
                out.bullets("ul", "sections", self.sections(), |out, section| {
                    out.link(
                        ChroniclePage::Section.of(section),
                        self.ground.label(section as usize),
                        "section",
                    );
                });
            }
            ChroniclePage::Months => {
                out.begin(&Head::plain("By date"));
                out.bullets("ul", "months", (0..self.months()).rev(), |out, month| {
                    out.link(ChroniclePage::Month.of(month), &Self::month_title(month), "month");
                });
            }
            ChroniclePage::Authors => {
                out.begin(&Head::plain("Authors"));
                let authors = directory.take_while(|author| *author < self.authors.len());
                out.bullets("ul", "people", authors, |out, author| {
                    out.link(ChroniclePage::Author.of(author), &self.author_name(author), "");
                });
            }
            ChroniclePage::Readers => {
                out.begin(&Head::plain("Readers"));
                let readers = directory.take_while(|reader| *reader < self.readers.len());
                out.bullets("ul", "people", readers, |out, reader| {
                    out.link(ChroniclePage::Reader.of(reader), &self.reader_name(reader), "");
                });
            }
            ChroniclePage::Letters => {
                out.begin(&Head::plain("Letters from readers"));
                let letters = directory.take_while(|letter| *letter < self.letters.len());
                out.bullets("ul", "letters", letters, |out, letter| {
                    out.link(ChroniclePage::Letter.of(letter), &self.letter_title(letter), "");
                });
            }
            ChroniclePage::Section | ChroniclePage::Year => self.section(page, out),
            ChroniclePage::Month => self.month(page.id, out),
            ChroniclePage::Author => self.author(page.id, out),
            ChroniclePage::Reader => self.reader(page.id, false, out),
            ChroniclePage::Written => self.reader(page.id, true, out),
            ChroniclePage::Story => self.story(page.id, out),
            ChroniclePage::Print => {
                out.begin(&Head::under("Clipping", ChroniclePage::Story.of(page.id), self.title(page.id)));
                out.thumb(ChroniclePage::Story.of(page.id), &format!("clipping/{}", page.id), "");
            }
            ChroniclePage::Letter => self.letter(page.id, out),
        }
        out.pager();
    }

    fn headlines(&self, stories: impl IntoIterator<Item = u64>, out: &mut PageWriter<'_, Self>) {
        out.roll("stories", stories, |out, story| {
            out.link(ChroniclePage::Story.of(story), &self.title(story), "headline");
            out.element("span", "date", &self.date(story));
            let prose = self.ground.prose(self.stories.topic(story), 0.2, self.dice("story", story));
            out.element("p", "teaser", &prose.sentence_text(self.dice("story", story).of("teaser")));
        });
    }

    fn section(&self, page: PageId<ChroniclePage>, out: &mut PageWriter<'_, Self>) {
        let (section, label) = (page.id, self.ground.label(page.id as usize));
        let crumb = |name: &'static str| Head::under(name, ChroniclePage::Sections.first(), "Sections");
        if page.kind == ChroniclePage::Section {
            out.begin(&crumb(label));
            let last = self.years.saturating_sub(1);
            out.bullets("ul", "years", (0..self.years).rev(), |out, part| {
                let count = self.count_in(section, Self::year_of(part));
                out.link(ChroniclePage::Year.part(section, part), &(FIRST_YEAR + part).to_string(), "year");
                out.text(&format!(" ({count})"));
            });
            out.heading("Latest");
            return self.headlines(self.stories_in(section, Self::year_of(last)).take(10), out);
        }
        let title = format!("{label} in {}", FIRST_YEAR + page.part);
        out.begin(&Head::under(&title, ChroniclePage::Section.of(section), label));
        let span = out.span(PER_PAGE);
        let stories = self.stories_in(section, Self::year_of(page.part));
        self.headlines(stories.skip(span.start as usize).take(PER_PAGE as usize), out);
        let near = [page.part.checked_sub(1), Some(page.part + 1).filter(|next| *next < self.years)];
        for (part, text) in near.into_iter().zip(["Older", "Newer"]) {
            if let Some(part) = part {
                out.link(ChroniclePage::Year.part(section, part), text, "step");
            }
        }
    }

    fn month(&self, month: u64, out: &mut PageWriter<'_, Self>) {
        let title = Self::month_title(month);
        out.begin(&Head::under(&title, ChroniclePage::Months.first(), "Archive"));
        if month < self.months() {
            let all = self.sections().flat_map(|section| self.stories_in(section, month..month + 1));
            let span = out.span(PER_PAGE);
            let stories: Vec<u64> = all.skip(span.start as usize).take(PER_PAGE as usize).collect();
            self.headlines(stories, out);
        } else {
            out.notice("Nothing was printed in this month.");
        }
        if let Some(before) = month.checked_sub(1) {
            out.link(ChroniclePage::Month.of(before), "Month before", "step");
        }
        let is_endless =
            month >= self.months() || out.of("endless").chance(self.ground.setting.nasty.calendars);
        if month + 1 < self.months() || is_endless {
            out.link(ChroniclePage::Month.of(month + 1), "Month after", "step");
        }
    }

    fn story(&self, story: u64, out: &mut PageWriter<'_, Self>) {
        let (title, topic, dice) = (self.title(story), self.stories.topic(story), self.dice("story", story));
        out.begin(&Head {
            og_type: "article",
            about: &title,
            ..Head::under(&title, ChroniclePage::Section.of(topic as u64), self.ground.label(topic))
        });
        out.json_ld("NewsArticle", &title, ("datePublished", &self.date(story).replace('/', "-")));
        let month = self.month_of(story);
        let mut facts =
            vec![("Printed", Fact::Links(vec![(ChroniclePage::Month.of(month), Self::month_title(month))]))];
        if let Some(author) = self.written.parent(story) {
            facts.insert(
                0,
                ("By", Fact::Links(vec![(ChroniclePage::Author.of(author), self.author_name(author))])),
            );
        }
        if self.is_printed(story) {
            facts.push((
                "Clipping",
                Fact::Links(vec![(ChroniclePage::Print.of(story), "the page".to_owned())]),
            ));
        }
        out.facts("byline", facts);
        let prose = self.ground.prose(topic, 0.18, dice);
        out.paragraphs(&prose, dice.of("text"), dice.of("length").between(4, 9), 5);
        let letters = self.about.children(story);
        if letters.len() > 0 {
            out.heading("Letters from readers");
            let letters = letters
                .slice(0..letters.len())
                .map(|letter| (ChroniclePage::Letter.of(letter), self.letter_title(letter)));
            out.bullets("ul", "letters", letters, |out, (letter, title)| out.link(letter, &title, ""));
        }
    }

    fn author(&self, author: u64, out: &mut PageWriter<'_, Self>) {
        let dice = self.dice("author", author);
        out.begin(&Head::under(&self.author_name(author), ChroniclePage::Authors.first(), "Authors"));
        out.paragraphs(&self.ground.prose(self.authors.topic(author), 0.15, dice), dice.of("bio"), 2, 4);
        self.headlines(self.written.children(author).slice(out.span(PER_PAGE)), out);
    }

    fn reader(&self, reader: u64, is_list: bool, out: &mut PageWriter<'_, Self>) {
        let (name, dice) = (self.reader_name(reader), self.dice("user", reader));
        out.begin(&Head::under(&name, ChroniclePage::Readers.first(), "Readers"));
        if self.is_spammer(Some(reader)) {
            return out.spam(dice);
        }
        let letters = self.sent.children(reader);
        if !is_list {
            out.paragraphs(&self.ground.prose(self.readers.topic(reader), 0.15, dice), dice.of("bio"), 2, 3);
            out.link(ChroniclePage::Written.of(reader), &format!("{} letters", letters.len()), "more");
            return;
        }
        let letters = letters
            .slice(out.span(PER_PAGE))
            .map(|letter| (ChroniclePage::Letter.of(letter), self.letter_title(letter)));
        out.bullets("ul", "letters", letters.collect::<Vec<_>>(), |out, (letter, title)| {
            out.link(letter, &title, "")
        });
    }

    fn letter(&self, letter: u64, out: &mut PageWriter<'_, Self>) {
        let (reader, dice) = (self.sent.parent(letter), self.dice("letter", letter));
        out.begin(&Head::under(&self.letter_title(letter), ChroniclePage::Letters.first(), "Letters"));
        if self.is_spammer(reader) {
            return out.spam(dice);
        }
        let story =
            self.about.parent(letter).map(|story| (ChroniclePage::Story.of(story), self.title(story)));
        let reader = reader.map(|reader| (ChroniclePage::Reader.of(reader), self.reader_name(reader)));
        out.facts(
            "letter",
            vec![
                ("From", Fact::Links(reader.into_iter().collect())),
                ("About", Fact::Links(story.into_iter().collect())),
            ],
        );
        let prose = self.ground.prose(self.letters.topic(letter), 0.2, dice);
        out.paragraphs(&prose, dice.of("text"), dice.of("length").between(1, 4), 4);
    }
}
