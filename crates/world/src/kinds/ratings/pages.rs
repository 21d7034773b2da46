//! The pages of `ratings`.

use crate::Dice;

use super::super::frame::Head;
use super::super::ground::{Day, day_of};
use super::super::pieces::{Fact, span};
use super::super::sheet::Sheet;
use super::super::ties::draws;
use super::{Class, DEALS_A_PAGE, ITEMS_A_PAGE, Place, Ratings, users};

pub(super) type Page<'a, 'b> = &'a mut Sheet<'b, Ratings>;

/// When daily deals began.
const FIRST_DAY: u64 = 14_000;

/// The place of a member that has one page only, or the first page of a list.
pub(super) fn at(class: Class, member: u64) -> Place {
    Place::Of(class, member, 1)
}

pub(super) fn write(site: &Ratings, place: Place, sheet: Page<'_, '_>) {
    let (class, member, page) = match place {
        Place::Home => return home(site, sheet),
        Place::Deal(day) => return deal(site, sheet, day),
        Place::Of(class, member, page) => (class, member, page),
    };
    match class {
        Class::Branch => branch(site, sheet, member),
        Class::Category => category(site, sheet, member, page),
        Class::Brand => brand(site, sheet, member, page),
        Class::Item if site.is_product(member) => product(site, sheet, member),
        Class::Item => somewhere(site, sheet, member),
        Class::Specs => specs(site, sheet, member),
        Class::Prices => prices(site, sheet, member),
        Class::Reviews => users::item_reviews(site, sheet, member, page),
        Class::Review => users::review(site, sheet, member),
        Class::User => users::reviewer(site, sheet, member),
        Class::Trust => users::trust(site, sheet, member),
        Class::UserReviews => users::reviewer_reviews(site, sheet, member, page),
        Class::Guide => users::guide(site, sheet, member),
        Class::Members => users::members(site, sheet, page),
        Class::Guides => users::guides(site, sheet, page),
        Class::Deals => deals(site, sheet, page),
    }
}

pub(super) fn aside(site: &Ratings, place: Place, sheet: Page<'_, '_>) {
    let dice = sheet.of("aside");
    let topic = match place {
        Place::Of(class, member, _) => site.topic(class, member),
        _ => None,
    };
    let topic = topic.unwrap_or_else(|| dice.of("topic").below(site.ground.topic_count()) as usize);
    let items = draws(dice, 8, |dice| site.items.draw(topic, dice));
    sheet.side_links("Best sellers", items.into_iter().map(|i| (at(Class::Item, i), site.item_name(i))));
    if dice.of("brands").chance(0.5) {
        let brands = draws(dice.of("brand"), 10, |dice| Some(dice.zipf(site.brands, 0.8)));
        sheet.side_links("Brands", brands.into_iter().map(|b| (at(Class::Brand, b), site.brand_name(b))));
    }
    if dice.of("said").chance(0.4) {
        let reviews = draws(dice.of("said"), 3, |dice| site.reviews.draw(topic, dice));
        sheet.side_links("Just in", reviews.into_iter().map(|r| (at(Class::Review, r), site.review_name(r))));
    }
    if dice.of("top").chance(0.3) {
        let users = draws(dice.of("user"), 3, |dice| site.users.draw(topic, dice));
        sheet.side_links("Top reviewers", users.into_iter().map(|u| (at(Class::User, u), site.user_name(u))));
    }
}

fn home(site: &Ratings, sheet: Page<'_, '_>) {
    sheet.begin(&Head { about: "Compare prices and read reviews", ..Head::plain("Compare before you buy") });
    for (n, name) in (0u64..).zip(&site.branches) {
        sheet.html.open("div", &[("class", "dept")]);
        sheet.html.open("h3", &[]);
        sheet.link(at(Class::Branch, n), name, "");
        sheet.html.close("h3");
        for topic in site.topics_of(n) {
            sheet.link(at(Class::Category, topic as u64), site.ground.label(topic), "cat");
        }
        sheet.html.close("div");
    }
    sheet.heading("Fresh reviews");
    let fresh = draws(sheet.of("fresh"), 8, |dice| Some(dice.below(site.reviews.len())));
    users::review_rows(site, sheet, fresh, true);
    sheet.html.open("p", &[("class", "people")]);
    sheet.link(at(Class::Members, 0), "Our reviewers", "");
    sheet.link(at(Class::Guides, 0), "Guides by reviewers", "");
    sheet.html.close("p");
    sheet.heading("Brands from A to Z");
    sheet.html.open("div", &[("class", "brands")]);
    (0..site.brands.min(40))
        .for_each(|brand| sheet.link(at(Class::Brand, brand), &site.brand_name(brand), "brand"));
    sheet.html.close("div");
    sheet.end();
}

fn branch(site: &Ratings, sheet: Page<'_, '_>, branch: u64) {
    let name = site.branches.get(branch as usize).map_or("", String::as_str);
    sheet.begin(&Head::under(name, Place::Home, "Home"));
    let topics: Vec<usize> = site.topics_of(branch).collect();
    sheet.roll("subcategories", topics, |sheet, topic| {
        sheet.link(at(Class::Category, topic as u64), site.ground.label(topic), "cat");
        let about = site.ground.words(topic).map_or("", |words| words.description_en.as_str());
        sheet.html.element("p", &[], about);
        let items = draws(sheet.of("items").at(topic as u64), 3, |dice| site.items.draw(topic, dice));
        for item in items {
            sheet.link(at(Class::Item, item), &site.item_name(item), "pick");
        }
    });
    sheet.end();
}

fn category(site: &Ratings, sheet: Page<'_, '_>, topic: u64, page: u64) {
    let branch = site.branch_of.get(topic as usize).copied().unwrap_or(0);
    let crumb = site.branches.get(branch).cloned().unwrap_or_default();
    sheet.begin(&Head::under(site.ground.label(topic as usize), at(Class::Branch, branch as u64), crumb));
    let range = site.items.range(topic as usize);
    let items = span(page, ITEMS_A_PAGE).map(|n| range.start + n).take_while(|item| *item < range.end);
    item_rows(site, sheet, items.collect());
    sheet.pager_of(page, site.last_page(Class::Category, topic), |n| Place::Of(Class::Category, topic, n));
    sheet.end();
}

fn brand(site: &Ratings, sheet: Page<'_, '_>, brand: u64, page: u64) {
    let name = site.brand_name(brand);
    sheet.begin(&Head::under(&name, Place::Home, "Brands"));
    sheet.html.element("p", &[("class", "brand-note")], "Everything that we know of this maker.");
    item_rows(site, sheet, site.brand_items.slice(brand, span(page, ITEMS_A_PAGE)).collect());
    sheet.pager_of(page, site.last_page(Class::Brand, brand), |n| Place::Of(Class::Brand, brand, n));
    if brand + 1 < site.brands {
        sheet.link(at(Class::Brand, brand + 1), "Next brand", "next-brand");
    }
    sheet.end();
}

fn item_rows(site: &Ratings, sheet: Page<'_, '_>, items: Vec<u64>) {
    if items.is_empty() {
        return sheet.notice("Nothing to compare here yet.");
    }
    sheet.roll("items", items, |sheet, item| {
        let (name, dice) = (site.item_name(item), site.dice(Class::Item, item));
        sheet.thumb(at(Class::Item, item), &format!("item/{item}"), &name);
        sheet.html.open("div", &[("class", "desc")]);
        sheet.link(at(Class::Item, item), &name, "item-name");
        sheet.stars(dice.of("stars").between(25, 98));
        sheet.html.element(
            "span",
            &[("class", "price")],
            &format!("${}", dice.of("price").long_tail(90.0, 4000)),
        );
        if site.last_page(Class::Prices, item) > 0 {
            sheet.link(at(Class::Prices, item), "Compare prices", "compare");
        }
        if site.last_page(Class::Reviews, item) > 0 {
            sheet.link(at(Class::Reviews, item), "Reviews", "count");
        }
        sheet.html.close("div");
    });
}

fn item_head<'a>(site: &Ratings, item: u64, name: &'a str) -> Head<'a, Place> {
    let topic = site.items.topic(item);
    let mut head = Head::under(name, at(Class::Category, topic as u64), site.ground.label(topic));
    (head.og_type, head.about) = ("product", name);
    head
}

fn product(site: &Ratings, sheet: Page<'_, '_>, item: u64) {
    let (name, dice, topic) = (site.item_name(item), site.dice(Class::Item, item), site.items.topic(item));
    let brand = site.brand_items.owner(item).unwrap_or(0);
    sheet.begin(&item_head(site, item, &name));
    let price = dice.of("price").long_tail(90.0, 4000).to_string();
    sheet.json_ld("Product", &name, ("price", &price));
    sheet.html.open(
        "div",
        &[("class", "product-box"), ("itemscope", ""), ("itemtype", "http://schema.org/Product")],
    );
    let picture = format!("/media/item/{item}.jpg");
    sheet.html.open("img", &[("src", &picture), ("itemprop", "image"), ("alt", &name)]);
    sheet.stars(dice.of("stars").between(25, 98));
    sheet.facts(
        "key-facts",
        vec![
            ("Brand", Fact::Links(vec![(at(Class::Brand, brand), site.brand_name(brand))])),
            ("Price from", Fact::Text(format!("${price}"))),
            ("Listed since", Fact::Text(day_of(dice.of("since")).long())),
        ],
    );
    sheet.html.close("div");
    sheet.html.open("ul", &[("class", "tabs")]);
    for (class, text) in [(Class::Specs, "Specifications"), (Class::Prices, "Compare prices")] {
        if site.last_page(class, item) > 0 {
            sheet.html.open("li", &[]);
            sheet.link(at(class, item), text, "tab");
            sheet.html.close("li");
        }
    }
    sheet.html.close("ul");
    sheet.paragraphs(&site.ground.prose(topic, 0.2, dice), dice.of("text"), dice.of("n").between(1, 4), 5);
    shops(sheet, dice, 4);
    opinions(site, sheet, item);
    similar(site, sheet, item);
    sheet.end();
}

fn somewhere(site: &Ratings, sheet: Page<'_, '_>, item: u64) {
    let (name, dice, topic) = (site.item_name(item), site.dice(Class::Item, item), site.items.topic(item));
    sheet.begin(&item_head(site, item, &name));
    sheet.html.open("div", &[("class", "vcard")]);
    sheet.html.open("address", &[("class", "adr")]);
    let mut street = String::new();
    crate::text::person(dice.of("street"), &mut street);
    sheet.html.text(&format!("{} {street} Street", dice.of("number").between(1, 300)));
    sheet.html.close("address");
    sheet.html.element("span", &[("class", "tel")], &format!("555-{:04}", dice.of("tel").below(10_000)));
    sheet.stars(dice.of("stars").between(25, 98));
    sheet.html.close("div");
    sheet.html.raw("<table class=\"hours\">");
    for day in ["Mon-Fri", "Sat", "Sun"] {
        let open = dice.of(day).between(7, 12);
        sheet.html.raw(&format!("<tr><th>{day}</th><td>{open}:00 - {}:00</td></tr>", open + 8));
    }
    sheet.html.raw("</table>\n");
    sheet.paragraphs(&site.ground.prose(topic, 0.2, dice), dice.of("text"), 2, 3);
    opinions(site, sheet, item);
    let brand = site.brand_items.owner(item).unwrap_or(0);
    sheet.html.open("p", &[("class", "owner")]);
    sheet.html.text("Run by ");
    sheet.link(at(Class::Brand, brand), &site.brand_name(brand), "");
    sheet.html.close("p");
    similar(site, sheet, item);
    sheet.end();
}

/// Offers of shops, which lead out of the site.
fn shops(sheet: Page<'_, '_>, dice: Dice, most: u64) {
    let ground = sheet.ground();
    sheet.html.raw("<table class=\"offers\"><tr><th>Shop</th><th>Price</th><th>Delivery</th></tr>\n");
    for shop in 0..dice.of("shops").between(1, most) {
        let dice = dice.of("shop").at(shop);
        let host = ground.setting.host(&format!("ads{}", dice.of("host").below(4)), ground.kind);
        sheet.html.raw("<tr><td>");
        sheet.html.link(&format!("http://{host}/click?c={}", dice.of("c").below(400)), "To the shop", &[]);
        let (price, days) = (dice.of("price").long_tail(90.0, 4000), dice.of("days").between(1, 14));
        sheet.html.raw(&format!("</td><td>${price}</td><td>{days} days</td></tr>\n"));
    }
    sheet.html.raw("</table>\n");
}

/// The first reviews of an item and the way to the others.
fn opinions(site: &Ratings, sheet: Page<'_, '_>, item: u64) {
    sheet.heading("What others say");
    let reviews = site.about.children(item);
    if reviews.len() == 0 {
        sheet.notice("No reviews yet: write the first.");
    }
    users::review_rows(site, sheet, reviews.slice(0..3).collect(), false);
    if site.last_page(Class::Reviews, item) > 0 {
        sheet.link(at(Class::Reviews, item), &format!("All {} reviews", reviews.len()), "more");
    }
    for guide in site.guided.children(item, 0..3) {
        sheet.link(at(Class::Guide, guide), &site.guide_name(guide), "guide");
    }
}

fn similar(site: &Ratings, sheet: Page<'_, '_>, item: u64) {
    let topic = site.items.topic(item);
    let near = draws(site.dice(Class::Item, item).of("near"), 10, |dice| site.items.draw(topic, dice));
    sheet.html.open("div", &[("class", "similar")]);
    sheet.html.element("h4", &[], "Similar");
    for other in near.into_iter().filter(|other| *other != item) {
        sheet.html.open("span", &[("class", "sim")]);
        sheet.thumb(at(Class::Item, other), &format!("item/{other}"), "");
        sheet.link(at(Class::Item, other), &site.item_name(other), "");
        sheet.html.close("span");
    }
    sheet.html.close("div");
}

fn specs(site: &Ratings, sheet: Page<'_, '_>, item: u64) {
    let (name, dice) = (site.item_name(item), site.dice(Class::Specs, item));
    sheet.begin(&Head::under(&format!("{name}: specifications"), at(Class::Item, item), name.clone()));
    let prose = site.ground.prose(site.items.topic(item), 0.5, dice);
    for group in 0..dice.of("groups").between(2, 5) {
        let mut title = String::new();
        prose.title(dice.of("group").at(group), &mut title);
        sheet.html.open("fieldset", &[]);
        sheet.html.element("legend", &[], &title);
        sheet.html.open("table", &[("class", "spec")]);
        for row in 0..dice.at(group).between(3, 8) {
            let dice = dice.at(group).at(row);
            let (mut label, mut value) = (String::new(), dice.between(1, 900).to_string());
            prose.word(dice.of("label"), &mut label);
            value.push(' ');
            prose.word(dice.of("unit"), &mut value);
            sheet.html.open("tr", &[]);
            sheet.html.element("td", &[("class", "k")], &label);
            sheet.html.element("td", &[("class", "v")], &value);
            sheet.html.close("tr");
        }
        sheet.html.close("table");
        sheet.html.close("fieldset");
    }
    sheet.link(at(Class::Item, item), "Back to the product", "back");
    sheet.end();
}

fn prices(site: &Ratings, sheet: Page<'_, '_>, item: u64) {
    let (name, dice) = (site.item_name(item), site.dice(Class::Prices, item));
    sheet.begin(&Head::under(&format!("Compare prices: {name}"), at(Class::Item, item), name.clone()));
    sheet.html.open("form", &[("action", "/search"), ("class", "price-filter")]);
    sheet.html.raw("<label>Zip <input name=\"zip\" size=\"5\"></label><button>Update</button>");
    sheet.html.close("form");
    shops(sheet, dice, 18);
    sheet.html.element("p", &[("class", "legal")], "Prices are updated daily and may have changed since.");
    similar(site, sheet, item);
    sheet.end();
}

fn deals(site: &Ratings, sheet: Page<'_, '_>, page: u64) {
    sheet.begin(&Head::under("Daily deals", Place::Home, "Home"));
    sheet.html.open("ul", &[("class", "days")]);
    for day in span(page, DEALS_A_PAGE).take_while(|day| *day < site.days) {
        sheet.html.open("li", &[]);
        sheet.link(Place::Deal(day), &Day(FIRST_DAY.saturating_add(day)).long(), "day");
        sheet.html.close("li");
    }
    sheet.html.close("ul");
    sheet.pager_of(page, site.last_page(Class::Deals, 0), |n| Place::Of(Class::Deals, 0, n));
    sheet.end();
}

fn deal(site: &Ratings, sheet: Page<'_, '_>, day: u64) {
    let title = format!("Deals of {}", Day(FIRST_DAY.saturating_add(day)).long());
    sheet.begin(&Head::under(&title, at(Class::Deals, 0), "Daily deals"));
    let nasty = &site.ground.setting.nasty;
    let is_over = day + 1 >= site.days;
    if day >= site.days {
        sheet.notice("The deals of this day are not known yet.");
    } else {
        let dice = site.ground.setting.dice.of("deals").at(day);
        let topic = dice.of("topic").below(site.ground.topic_count()) as usize;
        item_rows(site, sheet, draws(dice, 9, |dice| site.items.draw(topic, dice)));
        shops(sheet, dice, 5);
    }
    if !is_over || nasty.calendars > 0.0 {
        sheet.link(Place::Deal(day + 1), "Tomorrow", "tomorrow");
    }
    sheet.end();
}
