//! `shop`: departments and categories, products with prices, and what customers say of them.
//!
//! A category can be narrowed by brand and by price, alone and together, in the query, and sorted in three orders: all show
//! products of the category again. Every product has links to the basket, which end at the form to log in. Customers write
//! reviews below products and keep wish lists, most of whose products are of one topic; "bought together" mostly keeps to
//! the category too.

mod pages;

use super::ground::Ground;
use super::members::Members;
use super::pieces::pages_of;
use super::plan::Plan;
use super::site_map::{PageId, PageKind, site_map};
use super::ties::{Assignment, Sections, Slots, Tie, TieShape};
use super::writer::PageWriter;
use crate::markup::slug;
use crate::nasty::Setting;
use crate::text::handle;

site_map! {
    /// A page of the shop.
    ShopPage of ShopClass [Once, Department, Category, Facet, Brand, Customer, Wishes, Product]
    Once       { Home       Other   "home"       "/";
                 Brands     List    "brands"     "/brands";
                 Customers  List    "customers"  "/community";
                 Offers     List    "offers"     "/offers";
                 Basket     Other   "basket"     "/basket"; }
    Department { Department List    "department" "/d/{}"; }
    Category   { Category   List    "category"   "/c/{}"; }
    Facet      { Facet      List    "narrowed"   "/c/{}?{facet}"; }
    Brand      { Brand      List    "brand"      "/brand/{}"; }
    Customer   { Customer   Profile "customer"   "/community/{}" users; }
    Wishes     { Wishes     List    "wish-list"  "/wishlist/{}" users; }
    Product    { Product    Detail  "product"    "/p/{}-{title}.html";
                 Sizes      Other   "sizes"      "/p/{}/sizes"; }
}

const BRANDS: [&str; 12] = words! {
    "Arbor" "Bellwether" "Corvid" "Dunmore" "Ellery" "Fjord" "Garland" "Halcyon" "Ironbark" "Juniper" "Kestrel"
    "Lindqvist"
};
/// Brands of a category.
const BRANDS_HERE: u64 = 3;
/// Prices, in steps.
const PRICES: [&str; 3] = ["0-25", "25-100", "100-1000"];
/// A product is in one cell: of a brand and a price.
const CELLS: u64 = BRANDS_HERE * PRICES.len() as u64;
/// Ways to narrow a category: by brand, by price, by both.
const FACETS: u64 = BRANDS_HERE + PRICES.len() as u64 + CELLS;

const PER_PAGE: u64 = 24;
const PER_DIRECTORY: u64 = 48;

/// The plan of the site.
pub(crate) struct Shop {
    ground: Ground,
    /// The names of the departments, and the department of each category.
    departments: Vec<String>,
    department_of: Vec<usize>,
    products: Sections,
    customers: Sections,
    wishes: Sections,
    /// Who keeps a wish list.
    keepers: Tie,
    /// What is on wish lists.
    wished: Slots,
    /// Who wrote a review of a product.
    reviewers: Slots,
    /// What is bought together.
    together: Slots,
}

impl Shop {
    fn title(&self, product: u64) -> String {
        let dice = self.ground.setting.dice.of("product").at(product);
        let name = self.ground.title(self.products.topic(product), dice.of("title"));
        format!(
            "{} {name}",
            self.brand(self.products.topic(product) as u64, self.cell(product) / PRICES.len() as u64)
        )
    }

    /// The cells of a category's products.
    fn cells(&self, category: u64) -> Assignment {
        let range = self.products.range(category as usize);
        Assignment::new(
            range.end - range.start,
            CELLS,
            0.8,
            self.ground.setting.dice.of("cells").at(category),
        )
    }

    fn cell(&self, product: u64) -> u64 {
        let category = self.products.topic(product);
        let first = self.products.range(category).start;
        self.cells(category as u64).owner(product.saturating_sub(first)).unwrap_or(0)
    }

    fn price(&self, product: u64) -> String {
        let dice = self.ground.setting.dice.of("product").at(product).of("price");
        let (low, high) = [(3, 24), (25, 99), (100, 999)][(self.cell(product) % 3) as usize];
        format!("${}.{:02}", dice.between(low, high), dice.of("cents").one_of(&[0, 49, 95, 99]))
    }

    /// The number of the brand at a place of a category.
    fn brand_number(category: u64, place: u64) -> u64 {
        (category * BRANDS_HERE + place) % BRANDS.len() as u64
    }

    fn brand(&self, category: u64, place: u64) -> &'static str {
        BRANDS.get(Self::brand_number(category, place) as usize).copied().unwrap_or_default()
    }

    /// The cells that a facet leaves.
    fn cells_of(facet: u64) -> Vec<u64> {
        let prices = PRICES.len() as u64;
        match facet % FACETS {
            by if by < BRANDS_HERE => (by * prices..(by + 1) * prices).collect(),
            by if by < BRANDS_HERE + prices => {
                (0..BRANDS_HERE).map(|brand| brand * prices + by - BRANDS_HERE).collect()
            }
            by => vec![by - BRANDS_HERE - prices],
        }
    }

    /// How a facet is written: `brand=corvid&price=0-25`.
    fn facet_word(&self, facet: u64) -> String {
        let (category, prices) = (facet / FACETS, PRICES.len() as u64);
        let brand = |place: u64| format!("brand={}", slug(self.brand(category, place)));
        let price = |place: u64| format!("price={}", PRICES.get(place as usize).copied().unwrap_or_default());
        match facet % FACETS {
            by if by < BRANDS_HERE => brand(by),
            by if by < BRANDS_HERE + prices => price(by - BRANDS_HERE),
            by => {
                let cell = by - BRANDS_HERE - prices;
                format!("{}&{}", brand(cell / prices), price(cell % prices))
            }
        }
    }

    fn facet_name(&self, facet: u64) -> String {
        let word = self.facet_word(facet).replace("brand=", "").replace("price=", "$").replace('&', ", ");
        format!("{}: {word}", self.ground.label((facet / FACETS) as usize))
    }

    fn facet_len(&self, facet: u64) -> u64 {
        let cells = self.cells(facet / FACETS);
        Self::cells_of(facet).into_iter().map(|cell| cells.len(cell)).sum()
    }

    /// Products of a category at the places of a page, of all cells or of those that a facet leaves.
    fn narrowed(&self, facet: u64, range: std::ops::Range<u64>) -> Vec<u64> {
        let (category, cells) = (facet / FACETS, self.cells(facet / FACETS));
        let first = self.products.range(category as usize).start;
        let all = Self::cells_of(facet)
            .into_iter()
            .flat_map(|cell| cells.slice(cell, 0..cells.len(cell)).collect::<Vec<_>>());
        all.skip(range.start as usize)
            .take((range.end - range.start) as usize)
            .map(|place| first + place)
            .collect()
    }

    fn customer_name(&self, customer: u64) -> String {
        handle(self.ground.setting.dice.of("user").at(customer))
    }

    fn wishes_name(&self, wishes: u64) -> String {
        self.ground.title(self.wishes.topic(wishes), self.ground.setting.dice.of("wishes").at(wishes))
    }

    fn has_sizes(&self, product: u64) -> bool {
        self.ground.setting.dice.of("product").at(product).of("sizes").chance(0.25)
    }

    /// The categories of a department.
    fn categories_of(&self, department: u64) -> impl Iterator<Item = u64> + '_ {
        (0..)
            .zip(&self.department_of)
            .filter(move |(_, of)| **of as u64 == department)
            .map(|(category, _)| category)
    }
}

impl Plan for Shop {
    type Page = ShopPage;
    const HOME: ShopPage = ShopPage::Home;
    const BRAND: &'static str = "Quayside Stores";
    const ITEMS: &'static [ShopPage] = &[ShopPage::Product];
    const ALWAYS_SORTED: bool = true;
    const DISALLOWED: &'static [&'static str] = &["/search", "/checkout"];

    fn new(setting: Setting) -> Self {
        let liking = |name: &str| match name.split('/').next() {
            Some("Home" | "Sports" | "Vehicles" | "Arts" | "Computing") => 1.0,
            Some("Nature" | "Travel" | "Health") => 0.5,
            _ => 0.15,
        };
        let ground = Ground::new(setting, "shop", |words| liking(&words.name));
        let dice = ground.setting.dice.of("ties");
        let (mut departments, mut department_of): (Vec<String>, Vec<usize>) = (Vec::new(), Vec::new());
        for topic in 0..ground.topic_count() as usize {
            let name = ground.name(topic).split('/').next().unwrap_or_default().to_owned();
            let known = departments.iter().position(|department| *department == name);
            department_of.push(known.unwrap_or(departments.len()));
            if known.is_none() {
                departments.push(name);
            }
        }
        let (products, customers) = (ground.sections(0.42, 60), ground.sections(0.11, 12));
        let wishes = ground.sections(0.08, 8);
        Self {
            keepers: Tie::new(
                &wishes,
                &customers,
                TieShape { loyalty: 0.7, evenness: 0.6 },
                dice.of("keepers"),
            ),
            wished: Slots::new(&wishes, &products, 14, 0.7, dice.of("wished")),
            reviewers: Slots::new(&products, &customers, 5, 0.45, dice.of("reviewers")),
            together: Slots::new(&products, &products, 5, 0.8, dice.of("together")),
            departments,
            department_of,
            ground,
            products,
            customers,
            wishes,
        }
    }

    fn ground(&self) -> &Ground {
        &self.ground
    }

    fn class(&self, class: ShopClass) -> Members<'_> {
        match class {
            ShopClass::Once => Members::once(),
            ShopClass::Department => Members::count(self.departments.len() as u64),
            ShopClass::Category => Members::topics(self.ground.topic_count()),
            ShopClass::Facet => Members::count(self.ground.topic_count() * FACETS),
            ShopClass::Brand => Members::count(BRANDS.len() as u64),
            ShopClass::Customer => Members::of(&self.customers).users(),
            ShopClass::Wishes => Members::of(&self.wishes).made_by(&self.keepers),
            ShopClass::Product => Members::of(&self.products),
        }
    }

    fn last_page(&self, page: PageId<ShopPage>) -> u64 {
        match page.kind {
            ShopPage::Customers => pages_of(self.customers.len(), PER_DIRECTORY),
            ShopPage::Offers => pages_of(self.products.len() / 12, PER_PAGE),
            ShopPage::Category => {
                let products = self.products.range(page.id as usize);
                pages_of(products.end - products.start, PER_PAGE)
            }
            // there is no page of nothing
            ShopPage::Facet => self.facet_len(page.id).div_ceil(PER_PAGE).max(1),
            ShopPage::Sizes => u64::from(self.has_sizes(page.id)),
            _ => 1,
        }
    }

    fn topics(&self, class: ShopClass, id: u64) -> Vec<String> {
        let topic = match class {
            ShopClass::Facet => Some((id / FACETS) as usize),
            _ => self.class(class).topic(id),
        };
        topic.map(|topic| self.ground.name(topic)).into_iter().collect()
    }

    fn write_id(&self, kind: ShopPage, id: u64, out: &mut String) {
        let named = |id: u64, name: &str| format!("{id}-{}", slug(name));
        out.push_str(&match kind.row().class {
            ShopClass::Department => named(id, self.departments.get(id as usize).map_or("", String::as_str)),
            ShopClass::Category => named(id, self.ground.label(id as usize)),
            ShopClass::Facet => named(id / FACETS, self.ground.label((id / FACETS) as usize)),
            ShopClass::Brand => slug(BRANDS.get(id as usize).copied().unwrap_or_default()),
            _ => id.to_string(),
        });
    }

    fn read_id(&self, kind: ShopPage, name: &str) -> Option<u64> {
        match kind.row().class {
            ShopClass::Brand => BRANDS.iter().position(|brand| slug(brand) == name).map(|brand| brand as u64),
            // the way to narrow it is read from the word behind
            ShopClass::Facet => name.split('-').next()?.parse::<u64>().ok()?.checked_mul(FACETS),
            _ => name.split('-').next()?.parse().ok(),
        }
    }

    fn write_word(&self, slot: &str, page: PageId<ShopPage>, out: &mut String) {
        match slot {
            "facet" => out.push_str(&self.facet_word(page.id)),
            _ => out.push_str(&slug(&self.title(page.id))),
        }
    }

    fn read_word(&self, slot: &str, word: &str, page: &mut PageId<ShopPage>) -> Option<()> {
        if slot == "facet" {
            let known = page.id / FACETS < self.ground.topic_count();
            page.id += (0..FACETS).find(|facet| known && self.facet_word(page.id + facet) == word)?;
        }
        Some(())
    }

    fn topic_lists(&self, topic: usize) -> Vec<PageId<ShopPage>> {
        vec![ShopPage::Category.of(topic as u64)]
    }

    fn menu(&self) -> Vec<(PageId<ShopPage>, String)> {
        let departments =
            (0..).zip(&self.departments).map(|(n, name)| (ShopPage::Department.of(n), name.clone()));
        let once = [
            (ShopPage::Offers, "Offers"),
            (ShopPage::Brands, "Brands"),
            (ShopPage::Customers, "Community"),
            (ShopPage::Basket, "Basket"),
        ];
        departments.chain(once.map(|(kind, name)| (kind.first(), name.to_owned()))).collect()
    }

    fn write(&self, page: PageId<ShopPage>, out: &mut PageWriter<'_, Self>) {
        self.write_page(page, out);
    }

    fn aside(&self, out: &mut PageWriter<'_, Self>) {
        let dice = out.of("aside");
        let seen = (0..6).map(|n| dice.at(n).below(self.products.len()));
        out.side_links(
            "Recently viewed",
            seen.map(|product| (ShopPage::Product.of(product), self.title(product))).collect::<Vec<_>>(),
        );
        if dice.of("wishes").chance(0.5) {
            let list = dice.of("which").below(self.wishes.len());
            out.side_links("Wish list of the day", [(ShopPage::Wishes.of(list), self.wishes_name(list))]);
        }
    }

    fn gone(&self, draw: u64) -> String {
        format!("/p/{}-sold-out.html", self.products.len() + draw)
    }
}
