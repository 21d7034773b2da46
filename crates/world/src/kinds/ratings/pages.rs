//! The pages of `ratings`.

use crate::Dice;

use super::super::frame::Head;
use super::super::ground::{Day, day_of};
use super::super::pieces::Fact;
use super::super::plan::Plan;
use super::super::site_map::{PageId, PageKind};
use super::super::ties::draws;
use super::super::writer::PageWriter;
use super::{DEALS_A_PAGE, ITEMS_A_PAGE, Ratings, RatingsPage, users};

pub(super) type Out<'a, 'b> = &'a mut PageWriter<'b, Ratings>;

/// When daily deals began.
const FIRST_DAY: u64 = 14_000;

pub(super) fn write(site: &Ratings, page: PageId<RatingsPage>, out: Out<'_, '_>) {
    let id = page.id;
    match page.kind {
        RatingsPage::Home => home(site, out),
        RatingsPage::Branch => branch(site, out, id),
        RatingsPage::Category => category(site, out, id),
        RatingsPage::Brand => brand(site, out, id),
        RatingsPage::Item if site.is_product(id) => product(site, out, id),
        RatingsPage::Item => somewhere(site, out, id),
        RatingsPage::Specs => specs(site, out, id),
        RatingsPage::Prices => prices(site, out, id),
        RatingsPage::Reviews => users::item_reviews(site, out, id),
        RatingsPage::Review => users::review(site, out, id),
        RatingsPage::User => users::reviewer(site, out, id),
        RatingsPage::Trust => users::trust(site, out, id),
        RatingsPage::UserReviews => users::reviewer_reviews(site, out, id),
        RatingsPage::Guide => users::guide(site, out, id),
        RatingsPage::Members => users::members(site, out),
        RatingsPage::Guides => users::guides(site, out),
        RatingsPage::Deals => deals(site, out),
        RatingsPage::Deal => deal(site, out, id),
    }
}

pub(super) fn aside(site: &Ratings, out: Out<'_, '_>) {
    let dice = out.of("aside");
    let topic = out.topic_or_any(dice);
    let items = draws(dice, 8, |dice| site.items.draw(topic, dice));
    out.side_links("Best sellers", items.into_iter().map(|i| (RatingsPage::Item.of(i), site.item_name(i))));
    if dice.of("brands").chance(0.5) {
        let brands = draws(dice.of("brand"), 10, |dice| Some(dice.zipf(site.brands, 0.8)));
        out.side_links("Brands", brands.into_iter().map(|b| (RatingsPage::Brand.of(b), site.brand_name(b))));
    }
    if dice.of("said").chance(0.4) {
        let reviews = draws(dice.of("said"), 3, |dice| site.reviews.draw(topic, dice));
        out.side_links(
            "Just in",
            reviews.into_iter().map(|r| (RatingsPage::Review.of(r), site.review_name(r))),
        );
    }
    if dice.of("top").chance(0.3) {
        let users = draws(dice.of("user"), 3, |dice| site.users.draw(topic, dice));
        out.side_links(
            "Top reviewers",
            users.into_iter().map(|u| (RatingsPage::User.of(u), site.user_name(u))),
        );
    }
}

fn home(site: &Ratings, out: Out<'_, '_>) {
    out.begin(&Head { about: "Compare prices and read reviews", ..Head::plain("Compare before you buy") });
    for (n, name) in (0u64..).zip(&site.branches) {
        out.open("div", "dept");
        out.open("h3", "");
        out.link(RatingsPage::Branch.of(n), name, "");
        out.close("h3");
        for topic in site.topics_of(n) {
            out.link(RatingsPage::Category.of(topic as u64), site.ground.label(topic), "cat");
        }
        out.close("div");
    }
    out.heading("Fresh reviews");
    let fresh = draws(out.of("fresh"), 8, |dice| Some(dice.below(site.reviews.len())));
    users::review_rows(site, out, fresh, true);
    out.open("p", "people");
    out.link(RatingsPage::Members.first(), "Our reviewers", "");
    out.link(RatingsPage::Guides.first(), "Guides by reviewers", "");
    out.close("p");
    out.heading("Brands from A to Z");
    out.open("div", "brands");
    (0..site.brands.min(40))
        .for_each(|brand| out.link(RatingsPage::Brand.of(brand), &site.brand_name(brand), "brand"));
    out.close("div");
}

fn branch(site: &Ratings, out: Out<'_, '_>, branch: u64) {
    let name = site.branches.get(branch as usize).map_or("", String::as_str);
    out.begin(&Head::under(name, RatingsPage::Home.first(), "Home"));
    let topics: Vec<usize> = site.topics_of(branch).collect();
    out.roll("subcategories", topics, |out, topic| {
        out.link(RatingsPage::Category.of(topic as u64), site.ground.label(topic), "cat");
        let about = site.ground.words(topic).map_or("", |words| words.description_en.as_str());
        out.element("p", "", about);
        let items = draws(out.of("items").at(topic as u64), 3, |dice| site.items.draw(topic, dice));
        for item in items {
            out.link(RatingsPage::Item.of(item), &site.item_name(item), "pick");
        }
    });
}

fn category(site: &Ratings, out: Out<'_, '_>, topic: u64) {
    let branch = site.branch_of.get(topic as usize).copied().unwrap_or(0);
    let crumb = site.branches.get(branch).cloned().unwrap_or_default();
    out.begin(&Head::under(site.ground.label(topic as usize), RatingsPage::Branch.of(branch as u64), crumb));
    let range = site.items.range(topic as usize);
    let items = out.span(ITEMS_A_PAGE).map(|n| range.start + n).take_while(|item| *item < range.end);
    item_rows(site, out, items.collect());
    out.pager();
}

fn brand(site: &Ratings, out: Out<'_, '_>, brand: u64) {
    let name = site.brand_name(brand);
    out.begin(&Head::under(&name, RatingsPage::Home.first(), "Brands"));
    out.element("p", "brand-note", "Everything that we know of this maker.");
    item_rows(site, out, site.brand_items.slice(brand, out.span(ITEMS_A_PAGE)).collect());
    out.pager();
    if brand + 1 < site.brands {
        out.link(RatingsPage::Brand.of(brand + 1), "Next brand", "next-brand");
    }
}

fn item_rows(site: &Ratings, out: Out<'_, '_>, items: Vec<u64>) {
    if items.is_empty() {
        return out.notice("Nothing to compare here yet.");
    }
    out.roll("items", items, |out, item| {
        let (name, dice) = (site.item_name(item), site.dice(RatingsPage::Item, item));
        out.thumb(RatingsPage::Item.of(item), &format!("item/{item}"), &name);
        out.open("div", "desc");
        out.link(RatingsPage::Item.of(item), &name, "item-name");
        out.stars(dice.of("stars").between(25, 98));
        out.element("span", "price", &format!("${}", dice.of("price").long_tail(90.0, 4000)));
        if site.last_page(RatingsPage::Prices.of(item)) > 0 {
            out.link(RatingsPage::Prices.of(item), "Compare prices", "compare");
        }
        if site.last_page(RatingsPage::Reviews.of(item)) > 0 {
            out.link(RatingsPage::Reviews.of(item), "Reviews", "count");
        }
        out.close("div");
    });
}

fn item_head<'a>(site: &Ratings, item: u64, name: &'a str) -> Head<'a, RatingsPage> {
    let topic = site.items.topic(item);
    let mut head = Head::under(name, RatingsPage::Category.of(topic as u64), site.ground.label(topic));
    (head.og_type, head.about) = ("product", name);
    head
}

fn product(site: &Ratings, out: Out<'_, '_>, item: u64) {
    let (name, dice, topic) =
        (site.item_name(item), site.dice(RatingsPage::Item, item), site.items.topic(item));
    let brand = site.brand_items.owner(item).unwrap_or(0);
    out.begin(&item_head(site, item, &name));
    let price = dice.of("price").long_tail(90.0, 4000).to_string();
    out.json_ld("Product", &name, ("price", &price));
    out.html.open(
        "div",
        &[("class", "product-box"), ("itemscope", ""), ("itemtype", "http://schema.org/Product")],
    );
    let picture = format!("/media/item/{item}.jpg");
    out.html.open("img", &[("src", &picture), ("itemprop", "image"), ("alt", &name)]);
    out.stars(dice.of("stars").between(25, 98));
    out.facts(
        "key-facts",
        vec![
            ("Brand", Fact::Links(vec![(RatingsPage::Brand.of(brand), site.brand_name(brand))])),
            ("Price from", Fact::Text(format!("${price}"))),
            ("Listed since", Fact::Text(day_of(dice.of("since")).long())),
        ],
    );
    out.close("div");
    out.open("ul", "tabs");
    for (kind, text) in [(RatingsPage::Specs, "Specifications"), (RatingsPage::Prices, "Compare prices")] {
        if site.last_page(kind.of(item)) > 0 {
            out.open("li", "");
            out.link(kind.of(item), text, "tab");
            out.close("li");
        }
    }
    out.close("ul");
    out.paragraphs(&site.ground.prose(topic, 0.2, dice), dice.of("text"), dice.of("n").between(1, 4), 5);
    shops(out, dice, 4);
    opinions(site, out, item);
    similar(site, out, item);
}

fn somewhere(site: &Ratings, out: Out<'_, '_>, item: u64) {
    let (name, dice, topic) =
        (site.item_name(item), site.dice(RatingsPage::Item, item), site.items.topic(item));
    out.begin(&item_head(site, item, &name));
    out.open("div", "vcard");
    out.open("address", "adr");
    let street = crate::text::person_name(dice.of("street"));
    out.text(&format!("{} {street} Street", dice.of("number").between(1, 300)));
    out.close("address");
    out.element("span", "tel", &format!("555-{:04}", dice.of("tel").below(10_000)));
    out.stars(dice.of("stars").between(25, 98));
    out.close("div");
    out.raw("<table class=\"hours\">");
    for day in ["Mon-Fri", "Sat", "Sun"] {
        let open = dice.of(day).between(7, 12);
        out.raw(&format!("<tr><th>{day}</th><td>{open}:00 - {}:00</td></tr>", open + 8));
    }
    out.raw("</table>\n");
    out.paragraphs(&site.ground.prose(topic, 0.2, dice), dice.of("text"), 2, 3);
    opinions(site, out, item);
    let brand = site.brand_items.owner(item).unwrap_or(0);
    out.open("p", "owner");
    out.text("Run by ");
    out.link(RatingsPage::Brand.of(brand), &site.brand_name(brand), "");
    out.close("p");
    similar(site, out, item);
}

/// Offers of shops, which lead out of the site.
fn shops(out: Out<'_, '_>, dice: Dice, most: u64) {
    let ground = out.ground();
    out.raw("<table class=\"offers\"><tr><th>Shop</th><th>Price</th><th>Delivery</th></tr>\n");
    for shop in 0..dice.of("shops").between(1, most) {
        let dice = dice.of("shop").at(shop);
        let host = ground.setting.host(&format!("ads{}", dice.of("host").below(4)), ground.kind);
        out.raw("<tr><td>");
        out.html.link(&format!("http://{host}/click?c={}", dice.of("c").below(400)), "To the shop", &[]);
        let (price, days) = (dice.of("price").long_tail(90.0, 4000), dice.of("days").between(1, 14));
        out.raw(&format!("</td><td>${price}</td><td>{days} days</td></tr>\n"));
    }
    out.raw("</table>\n");
}

/// The first reviews of an item and a link to the others.
fn opinions(site: &Ratings, out: Out<'_, '_>, item: u64) {
    out.heading("What others say");
    let reviews = site.about.children(item);
    if reviews.len() == 0 {
        out.notice("No reviews yet: write the first.");
    }
    users::review_rows(site, out, reviews.slice(0..3).collect(), false);
    if site.last_page(RatingsPage::Reviews.of(item)) > 0 {
        out.link(RatingsPage::Reviews.of(item), &format!("All {} reviews", reviews.len()), "more");
    }
    for guide in site.guided.children(item, 0..3) {
        out.link(RatingsPage::Guide.of(guide), &site.guide_name(guide), "guide");
    }
}

fn similar(site: &Ratings, out: Out<'_, '_>, item: u64) {
    let topic = site.items.topic(item);
    let near = draws(site.dice(RatingsPage::Item, item).of("near"), 10, |dice| site.items.draw(topic, dice));
    out.open("div", "similar");
    out.element("h4", "", "Similar");
    for other in near.into_iter().filter(|other| *other != item) {
        out.open("span", "sim");
        out.thumb(RatingsPage::Item.of(other), &format!("item/{other}"), "");
        out.link(RatingsPage::Item.of(other), &site.item_name(other), "");
        out.close("span");
    }
    out.close("div");
}

fn specs(site: &Ratings, out: Out<'_, '_>, item: u64) {
    let (name, dice) = (site.item_name(item), site.dice(RatingsPage::Specs, item));
    out.begin(&Head::under(&format!("{name}: specifications"), RatingsPage::Item.of(item), name.clone()));
    let prose = site.ground.prose(site.items.topic(item), 0.5, dice);
    for group in 0..dice.of("groups").between(2, 5) {
        let title = prose.title_text(dice.of("group").at(group));
        out.open("fieldset", "");
        out.element("legend", "", &title);
        out.open("table", "spec");
        for row in 0..dice.at(group).between(3, 8) {
            let dice = dice.at(group).at(row);
            let (mut label, mut value) = (String::new(), dice.between(1, 900).to_string());
            prose.word(dice.of("label"), &mut label);
            value.push(' ');
            prose.word(dice.of("unit"), &mut value);
            out.open("tr", "");
            out.element("td", "k", &label);
            out.element("td", "v", &value);
            out.close("tr");
        }
        out.close("table");
        out.close("fieldset");
    }
    out.link(RatingsPage::Item.of(item), "Back to the product", "back");
}

fn prices(site: &Ratings, out: Out<'_, '_>, item: u64) {
    let (name, dice) = (site.item_name(item), site.dice(RatingsPage::Prices, item));
    out.begin(&Head::under(&format!("Compare prices: {name}"), RatingsPage::Item.of(item), name.clone()));
    out.html.open("form", &[("action", "/search"), ("class", "price-filter")]);
    out.raw("<label>Zip <input name=\"zip\" size=\"5\"></label><button>Update</button>");
    out.close("form");
    shops(out, dice, 18);
    out.element("p", "legal", "Prices are updated daily and may have changed since.");
    similar(site, out, item);
}

fn deals(site: &Ratings, out: Out<'_, '_>) {
    out.begin(&Head::under("Daily deals", RatingsPage::Home.first(), "Home"));
    out.bullets("ul", "days", out.span(DEALS_A_PAGE).take_while(|day| *day < site.days), |out, day| {
        out.link(RatingsPage::Deal.of(day), &Day(FIRST_DAY.saturating_add(day)).long(), "day");
    });
    out.pager();
}

fn deal(site: &Ratings, out: Out<'_, '_>, day: u64) {
    let title = format!("Deals of {}", Day(FIRST_DAY.saturating_add(day)).long());
    out.begin(&Head::under(&title, RatingsPage::Deals.first(), "Daily deals"));
    let nasty = &site.ground.setting.nasty;
    let is_over = day + 1 >= site.days;
    if day >= site.days {
        out.notice("The deals of this day are not known yet.");
    } else {
        let dice = site.ground.setting.dice.of("deals").at(day);
        let topic = dice.of("topic").below(site.ground.topic_count()) as usize;
        item_rows(site, out, draws(dice, 9, |dice| site.items.draw(topic, dice)));
        shops(out, dice, 5);
    }
    if !is_over || nasty.calendars > 0.0 {
        out.link(RatingsPage::Deal.of(day + 1), "Tomorrow", "tomorrow");
    }
}
