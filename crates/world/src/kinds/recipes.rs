//! `recipes`: a cookery book that its cooks fill. The site of docs/guide/add-a-world.md, complete in one file: the tests
//! compile it and walk over it, and no world serves it.
//!
//! A start page, a list for each topic in pages of twenty, a directory of cooks, and recipes with their comments.

use super::frame::Head;
use super::ground::{Ground, day_of};
use super::members::Members;
use super::pieces::{Fact, Remark, pages_of};
use super::plan::Plan;
use super::site_map::{PageId, PageKind, site_map};
use super::ties::{Sections, Slots, Tie, TieShape};
use super::writer::PageWriter;
use crate::markup::slug;
use crate::nasty::Setting;
use crate::text::handle;

site_map! {
    /// A page of the cookery book.
    RecipesPage of RecipesClass [Once, Topic, Cook, Recipe]
    Once   { Home   Other   "home"   "/";
             Cooks  List    "cooks"  "/cooks"; }
    Topic  { Topic  List    "topic"  "/on/{}"; }
    Cook   { Cook   Profile "cook"   "/cook/{}" users; }
    Recipe { Recipe Detail  "recipe" "/recipe/{}/{title}" users; }
}

const PER_PAGE: u64 = 20;

/// The plan of the site.
pub(crate) struct Recipes {
    ground: Ground,
    cooks: Sections,
    recipes: Sections,
    /// The cook of every recipe: mostly one who likes its topic.
    cooked: Tie,
    /// Who commented on a recipe.
    guests: Slots,
}

impl Recipes {
    fn title(&self, recipe: u64) -> String {
        self.ground.title(self.recipes.topic(recipe), self.ground.setting.dice.of("recipe").at(recipe))
    }

    fn cook_name(&self, cook: u64) -> String {
        handle(self.ground.setting.dice.of("user").at(cook))
    }

    /// Cooks with their names, to be linked.
    fn cooks(&self, cooks: impl IntoIterator<Item = u64>) -> Vec<(PageId<RecipesPage>, String)> {
        cooks.into_iter().map(|cook| (RecipesPage::Cook.of(cook), self.cook_name(cook))).collect()
    }

    fn rows(&self, recipes: impl IntoIterator<Item = u64>, out: &mut PageWriter<'_, Self>) {
        out.roll("recipes", recipes, |out, recipe| {
            out.thumb(RecipesPage::Recipe.of(recipe), &format!("dish/{recipe}"), "");
            out.link(RecipesPage::Recipe.of(recipe), &self.title(recipe), "dish");
        });
    }

    fn recipe(&self, recipe: u64, out: &mut PageWriter<'_, Self>) {
        let (title, topic) = (self.title(recipe), self.recipes.topic(recipe));
        let dice = self.ground.setting.dice.of("recipe").at(recipe);
        out.begin(&Head::under(&title, RecipesPage::Topic.of(topic as u64), self.ground.label(topic)));
        let cook = self.cooked.parent(recipe);
        if self.is_spammer(cook) {
            return out.spam(dice);
        }
        let minutes = format!("{} minutes", dice.of("minutes").between(5, 180));
        out.facts("at-a-glance", vec![("By", Fact::Links(self.cooks(cook))), ("Takes", Fact::Text(minutes))]);
        let prose = self.ground.prose(topic, 0.2, dice);
        out.paragraphs(&prose, dice.of("text"), dice.of("length").between(2, 5), 4);
        let remarks = self.guests.parents(recipe).into_iter().map(|guest| {
            let dice = dice.of("said").at(guest);
            let (when, text) = (day_of(dice.of("day")).long(), prose.sentence_text(dice));
            Remark { author: RecipesPage::Cook.of(guest), name: self.cook_name(guest), when, text }
        });
        out.remarks("comments", remarks.collect());
    }

    fn cook(&self, cook: u64, out: &mut PageWriter<'_, Self>) {
        let dice = self.ground.setting.dice.of("user").at(cook);
        out.begin(&Head::under(&self.cook_name(cook), RecipesPage::Cooks.first(), "Cooks"));
        if self.is_spammer(Some(cook)) {
            return out.spam(dice);
        }
        out.paragraphs(&self.ground.prose(self.cooks.topic(cook), 0.2, dice), dice.of("bio"), 1, 3);
        self.rows(self.cooked.children(cook).slice(0..30), out);
    }
}

impl Plan for Recipes {
    type Page = RecipesPage;
    const HOME: RecipesPage = RecipesPage::Home;
    const BRAND: &'static str = "The Open Kitchen";

    fn new(setting: Setting) -> Self {
        let ground =
            Ground::new(setting, "recipes", |words| if words.name.starts_with("Home/") { 1.0 } else { 0.2 });
        let (cooks, recipes) = (ground.sections(0.15, 12), ground.sections(0.8, 60));
        let dice = ground.setting.dice.of("ties");
        let shape = TieShape { loyalty: 0.7, evenness: 0.6 };
        Self {
            cooked: Tie::new(&recipes, &cooks, shape, dice.of("cooked")),
            guests: Slots::new(&recipes, &cooks, 6, 0.5, dice.of("guests")),
            ground,
            cooks,
            recipes,
        }
    }

    fn ground(&self) -> &Ground {
        &self.ground
    }

    fn class(&self, class: RecipesClass) -> Members<'_> {
        match class {
            RecipesClass::Once => Members::once(),
            RecipesClass::Topic => Members::topics(self.ground.topic_count()),
            RecipesClass::Cook => Members::of(&self.cooks).users(),
            RecipesClass::Recipe => Members::of(&self.recipes).made_by(&self.cooked),
        }
    }

    fn last_page(&self, page: PageId<RecipesPage>) -> u64 {
        match page.kind {
            RecipesPage::Cooks => pages_of(self.cooks.len(), PER_PAGE),
            RecipesPage::Topic => {
                let recipes = self.recipes.range(page.id as usize);
                pages_of(recipes.end - recipes.start, PER_PAGE)
            }
            _ => 1,
        }
    }

    fn write_id(&self, kind: RecipesPage, id: u64, out: &mut String) {
        match kind {
            RecipesPage::Topic => out.push_str(&format!("{id}-{}", slug(self.ground.label(id as usize)))),
            _ => out.push_str(&id.to_string()),
        }
    }

    fn read_id(&self, _kind: RecipesPage, name: &str) -> Option<u64> {
        name.split('-').next()?.parse().ok()
    }

    fn write_word(&self, _slot: &str, page: PageId<RecipesPage>, out: &mut String) {
        out.push_str(&slug(&self.title(page.id)));
    }

    fn menu(&self) -> Vec<(PageId<RecipesPage>, String)> {
        let topic = |topic| (RecipesPage::Topic.of(topic), self.ground.label(topic as usize).to_owned());
        let topics = (0..self.ground.topic_count()).map(topic);
        topics.chain([(RecipesPage::Cooks.first(), "Cooks".to_owned())]).collect()
    }

    fn write(&self, page: PageId<RecipesPage>, out: &mut PageWriter<'_, Self>) {
        match page.kind {
            RecipesPage::Home => {
                out.begin(&Head::plain("What shall we cook?"));
                let count = self.recipes.len();
                let today: Vec<u64> = (0..12).map(|n| out.of("today").at(n).below(count)).collect();
                self.rows(today, out);
            }
            RecipesPage::Cooks => {
                out.begin(&Head::plain("Cooks"));
                let cooks = out.span(PER_PAGE).take_while(|cook| *cook < self.cooks.len());
                out.bullets("ul", "cooks", self.cooks(cooks), |out, (cook, name)| out.link(cook, &name, ""));
            }
            RecipesPage::Topic => {
                out.begin(&Head::plain(self.ground.label(page.id as usize)));
                let all = self.recipes.range(page.id as usize);
                let recipes =
                    out.span(PER_PAGE).map(|n| all.start + n).take_while(|recipe| *recipe < all.end);
                self.rows(recipes, out);
            }
            RecipesPage::Cook => self.cook(page.id, out),
            RecipesPage::Recipe => self.recipe(page.id, out),
        }
        out.pager();
    }

    fn aside(&self, out: &mut PageWriter<'_, Self>) {
        let cook = out.of("cook").below(self.cooks.len());
        out.side_links("Cook of the day", self.cooks([cook]));
    }

    fn gone(&self, draw: u64) -> String {
        format!("/recipe/{}/gone", self.recipes.len() + draw)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::super::hosted::Hosted;
    use super::*;
    use crate::site::Site;
    use crate::world::walk::url;
    use crate::{Ask, Dice, Nastiness};

    /// Every listed page is answered and true, and every link of a clean site leads to a listed page.
    #[test]
    fn a_site_of_one_file_is_complete() {
        let setting = Setting {
            dice: Dice::new(1),
            pages: 400,
            domain: "example".into(),
            nasty: Nastiness::none(),
            ablation: None,
        };
        let site = Hosted::<Recipes>::new(setting);
        let pages: HashSet<String> = site.pages().collect();
        assert!((300..500).contains(&pages.len()), "{} pages", pages.len());
        let mut linked: HashSet<String> = site.seeds().into_iter().collect();
        for page in &pages {
            let page = url(page);
            let answer = site.answer(&Ask { url: &page, cookie: None }).expect("a page that is listed");
            assert!(site.truth(&page).is_some_and(|truth| truth.waste.is_none()), "{page}");
            linked.extend(
                crate::world::walk::links(&page, &answer).iter().map(|link| link.as_str().to_owned()),
            );
        }
        let lost: Vec<_> = pages.symmetric_difference(&linked).collect();
        assert!(lost.is_empty(), "{lost:?}");
    }
}
