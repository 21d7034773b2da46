//! The pages of `shop`.

use super::super::frame::Head;
use super::super::ground::day_of;
use super::super::pieces::{Fact, Remark};
use super::super::plan::Plan;
use super::super::site_map::{PageId, PageKind};
use super::super::writer::PageWriter;
use super::{BRANDS, BRANDS_HERE, FACETS, PER_DIRECTORY, PER_PAGE, PRICES, Shop, ShopPage};

impl Shop {
    /// Writes a page.
    pub(super) fn write_page(&self, page: PageId<ShopPage>, out: &mut PageWriter<'_, Self>) {
        let count = self.products.len();
        match page.kind {
            ShopPage::Home => {
                out.begin(&Head::plain("Everything for every day"));
                let today: Vec<u64> = (0..16).map(|n| out.of("today").at(n).below(count)).collect();
                self.shelf(today, out);
            }
            ShopPage::Brands => {
                out.begin(&Head::plain("Brands"));
                let brands = (0u64..).zip(BRANDS);
                out.bullets("ul", "brands", brands, |out, (n, name)| {
                    out.link(ShopPage::Brand.of(n), name, "")
                });
            }
            ShopPage::Customers => {
                out.begin(&Head::plain("Community"));
                let customers =
                    out.span(PER_DIRECTORY).take_while(|customer| *customer < self.customers.len());
                out.bullets("ul", "people", customers, |out, customer| {
                    out.link(ShopPage::Customer.of(customer), &self.customer_name(customer), "");
                });
            }
            ShopPage::Offers => {
                out.begin(&Head::plain("Offers of the week"));
                self.shelf(
                    out.span(PER_PAGE).map(|place| place * 12).take_while(|product| *product < count),
                    out,
                );
            }
            ShopPage::Basket => {
                out.begin(&Head::plain("Your basket"));
                out.notice("Your basket is empty.");
            }
            ShopPage::Department => {
                let name = self.departments.get(page.id as usize).cloned().unwrap_or_default();
                out.begin(&Head::plain(&name));
                out.bullets("ul", "categories", self.categories_of(page.id), |out, category| {
                    out.link(
                        ShopPage::Category.of(category),
                        self.ground.label(category as usize),
                        "category",
                    );
                });
            }
            ShopPage::Category => self.category(page.id, out),
            ShopPage::Facet => {
                let category = page.id / FACETS;
                let label = self.ground.label(category as usize);
                out.begin(&Head::under(&self.facet_name(page.id), ShopPage::Category.of(category), label));
                self.shelf(self.narrowed(page.id, out.span(PER_PAGE)), out);
            }
            ShopPage::Brand => {
                out.begin(&Head::plain(BRANDS.get(page.id as usize).copied().unwrap_or_default()));
                let sold = (0..self.ground.topic_count()).flat_map(|category| {
                    let places =
                        (0..BRANDS_HERE).filter(move |place| Self::brand_number(category, *place) == page.id);
                    places.map(move |place| category * FACETS + place)
                });
                out.bullets("ul", "sold", sold, |out, facet| {
                    out.link(ShopPage::Facet.of(facet), &self.facet_name(facet), "");
                });
            }
            ShopPage::Customer => self.customer(page.id, out),
            ShopPage::Wishes => self.wish_list(page.id, out),
            ShopPage::Product => self.product(page.id, out),
            ShopPage::Sizes => {
                out.begin(&Head::under("Size guide", ShopPage::Product.of(page.id), self.title(page.id)));
                let sizes = (34..48).map(|size| format!("EU {size}: {} cm", size / 2 + 4));
                out.bullets("ul", "sizes", sizes, |out, text| out.text(&text));
            }
        }
        out.pager();
    }

    fn shelf(&self, products: impl IntoIterator<Item = u64>, out: &mut PageWriter<'_, Self>) {
        out.roll("products", products, |out, product| {
            out.thumb(ShopPage::Product.of(product), &format!("product/{product}"), "");
            out.link(ShopPage::Product.of(product), &self.title(product), "name");
            out.element("span", "price", &self.price(product));
            self.buttons(product, &[("basket", "Add to basket")], out);
        });
    }

    /// What only those who have logged in can do; a clean shop has no such links.
    fn buttons(&self, product: u64, buttons: &[(&str, &str)], out: &mut PageWriter<'_, Self>) {
        if self.ground.setting.nasty.login_walls > 0.0 {
            for (path, text) in buttons {
                let href = format!("/account/{path}?add={product}");
                out.html.link(&href, text, &[("class", "buy"), ("rel", "nofollow")]);
            }
        }
    }

    fn category(&self, category: u64, out: &mut PageWriter<'_, Self>) {
        let label = self.ground.label(category as usize);
        let department = self.department_of.get(category as usize).copied().unwrap_or(0) as u64;
        let name = self.departments.get(department as usize).cloned().unwrap_or_default();
        out.begin(&Head::under(label, ShopPage::Department.of(department), name));
        let facets = (category * FACETS..(category + 1) * FACETS).map(|facet| {
            (ShopPage::Facet.of(facet), self.facet_word(facet).replace("brand=", "").replace("price=", "$"))
        });
        out.side_links("Narrow by", facets.collect::<Vec<_>>());
        let all = self.products.range(category as usize);
        let products =
            out.span(PER_PAGE).map(|place| all.start + place).take_while(|product| *product < all.end);
        self.shelf(products, out);
    }

    fn product(&self, product: u64, out: &mut PageWriter<'_, Self>) {
        let (title, topic) = (self.title(product), self.products.topic(product));
        let dice = self.ground.setting.dice.of("product").at(product);
        out.begin(&Head {
            og_type: "product",
            about: &title,
            ..Head::under(&title, ShopPage::Category.of(topic as u64), self.ground.label(topic))
        });
        out.json_ld("Product", &title, ("price", &self.price(product)));
        out.thumb(ShopPage::Product.of(product), &format!("product/{product}"), &title);
        let place = self.cell(product) / PRICES.len() as u64;
        let brand = ShopPage::Facet.of(topic as u64 * FACETS + place);
        let mut facts = vec![
            ("Price", Fact::Text(self.price(product))),
            ("Brand", Fact::Links(vec![(brand, self.brand(topic as u64, place).to_owned())])),
            ("Article", Fact::Text(format!("{:08}", dice.of("number").below(100_000_000)))),
            ("Delivery", Fact::Text(format!("{} days", dice.of("days").between(1, 9)))),
        ];
        if self.has_sizes(product) {
            facts.push(("Sizes", Fact::Links(vec![(ShopPage::Sizes.of(product), "Size guide".to_owned())])));
        }
        out.facts("offer", facts);
        let buttons =
            [("basket", "Add to basket"), ("wishes", "Add to wish list"), ("ask", "Ask a question")];
        self.buttons(product, &buttons, out);
        let prose = self.ground.prose(topic, 0.22, dice);
        out.heading("Description");
        out.paragraphs(&prose, dice.of("text"), dice.of("length").between(2, 4), 4);
        out.heading("Bought together");
        self.shelf(self.together.parents(product).into_iter().filter(|other| *other != product), out);
        let reviews = self.reviewers.parents(product).into_iter().map(|customer| {
            let dice = dice.of("review").at(customer);
            let text = format!("{} of 5. {}", dice.of("stars").between(1, 5), prose.sentence_text(dice));
            let (author, name) = (ShopPage::Customer.of(customer), self.customer_name(customer));
            Remark { author, name, when: day_of(dice.of("day")).long(), text }
        });
        out.heading("Customer reviews");
        out.remarks("reviews", reviews.collect());
    }

    fn customer(&self, customer: u64, out: &mut PageWriter<'_, Self>) {
        let dice = self.ground.setting.dice.of("user").at(customer);
        out.begin(&Head::under(&self.customer_name(customer), ShopPage::Customers.first(), "Community"));
        if self.is_spammer(Some(customer)) {
            return out.spam(dice);
        }
        out.paragraphs(&self.ground.prose(self.customers.topic(customer), 0.2, dice), dice.of("bio"), 2, 3);
        out.heading("Wish lists");
        let lists = self.keepers.children(customer);
        let lists =
            lists.slice(0..lists.len()).map(|list| (ShopPage::Wishes.of(list), self.wishes_name(list)));
        out.bullets("ul", "wish-lists", lists, |out, (list, name)| out.link(list, &name, ""));
        out.heading("Reviewed");
        let reviewed = self.reviewers.children(customer, 0..self.reviewers.reach(customer).min(40));
        self.shelf(reviewed, out);
    }

    fn wish_list(&self, list: u64, out: &mut PageWriter<'_, Self>) {
        let (keeper, dice) = (self.keepers.parent(list), self.ground.setting.dice.of("wishes").at(list));
        out.begin(&Head::plain(&self.wishes_name(list)));
        if self.is_spammer(keeper) {
            return out.spam(dice);
        }
        if let Some(keeper) = keeper {
            out.link(ShopPage::Customer.of(keeper), &self.customer_name(keeper), "keeper");
        }
        out.paragraphs(&self.ground.prose(self.wishes.topic(list), 0.2, dice), dice.of("text"), 1, 3);
        self.shelf(self.wished.parents(list), out);
    }
}
