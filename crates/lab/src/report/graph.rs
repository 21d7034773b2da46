//! The sitemap graph: page types as discs, links between them as arrows.
//!
//! Placed by springs and charges (Fruchterman and Reingold): a sitemap is small, full of circles and has no natural
//! layers. The start is a fixed spread and the number of steps is fixed, and only operations that IEEE defines to the
//! bit are used (no sines), so the same graph looks the same everywhere.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::axes::{FONT, label};
use super::number::{lenient, number};
use super::svg::{Markup, Px, series_class};
use super::table::{Cell, Table};
use super::width::{cut, pixels};

/// Discs and arrows.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct GraphPlot {
    /// What it shows.
    pub title: String,
    /// What an arrow's weight means: `links per page`.
    #[serde(default)]
    pub weight_title: String,
    /// The discs.
    pub nodes: Vec<Node>,
    /// The arrows; those to or from a disc that is not there are left out.
    pub edges: Vec<Edge>,
}

/// A disc.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Node {
    /// Its name.
    pub name: String,
    /// What it is coloured by: `list`, `detail`.
    #[serde(default)]
    pub kind: String,
    /// What its area is drawn by: the number of pages.
    #[serde(default, with = "lenient")]
    pub size: f64,
}

/// An arrow.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Edge {
    /// The place of a disc in the list.
    pub from: usize,
    /// The place of the disc it points at; may be the same.
    pub to: usize,
    /// What its width is drawn by.
    #[serde(with = "lenient")]
    pub weight: f64,
}

const WIDTH: f64 = 760.0;
const HEIGHT: f64 = 540.0;

/// Room at the rim for discs, loops and names.
const SIDE: f64 = 75.0;
const TOP: f64 = 62.0;
const BOTTOM: f64 = 56.0;

/// Larger graphs are hairballs: only the largest discs and the heaviest arrows are drawn.
const MOST_NODES: usize = 60;
const MOST_EDGES: usize = 240;

const STEPS: usize = 300;

impl GraphPlot {
    /// The arrows as a table.
    pub(super) fn table(&self) -> Table {
        let weight = if self.weight_title.is_empty() { "weight" } else { &self.weight_title };
        let mut table = Table::new("", ["from", "to", weight]);
        let name = |place: usize| self.nodes.get(place).map(|node| Cell::from(node.name.as_str()));
        for edge in self.heaviest_edges() {
            table.rows.push(vec![name(edge.from).into(), name(edge.to).into(), Cell::Number(edge.weight)]);
        }
        table
    }

    /// Kinds in the order of their first disc, for the legend.
    pub(super) fn legend(&self) -> Vec<&str> {
        let mut kinds: Vec<&str> = Vec::new();
        for node in &self.nodes {
            if !kinds.contains(&node.kind.as_str()) {
                kinds.push(&node.kind);
            }
        }
        kinds.retain(|kind| !kind.is_empty());
        kinds
    }

    /// What is left out of the drawing, if anything is.
    pub(super) fn left_out(&self) -> Option<String> {
        let nodes = self.nodes.len().saturating_sub(MOST_NODES);
        let edges = self.edges.len().saturating_sub(self.heaviest_edges().len());
        (nodes + edges > 0)
            .then(|| format!("Not drawn: the {nodes} smallest nodes, the {edges} weakest arrows."))
    }

    fn largest_nodes(&self) -> Vec<usize> {
        let size = |place: &usize| self.nodes.get(*place).map_or(0.0, |node| finite(node.size));
        let mut places: Vec<usize> = (0..self.nodes.len()).collect();
        places.sort_by(|a, b| size(b).total_cmp(&size(a)).then(a.cmp(b)));
        places.truncate(MOST_NODES);
        places.sort_unstable();
        places
    }

    fn heaviest_edges(&self) -> Vec<Edge> {
        let shown = self.largest_nodes();
        let there = |place: usize| shown.binary_search(&place).is_ok();
        let mut edges: Vec<Edge> =
            self.edges.iter().copied().filter(|edge| there(edge.from) && there(edge.to)).collect();
        edges.sort_by(|a, b| {
            finite(b.weight).total_cmp(&finite(a.weight)).then((a.from, a.to).cmp(&(b.from, b.to)))
        });
        edges.truncate(MOST_EDGES);
        edges
    }

    /// The plot as a file of its own, with colours and a legend in it.
    pub fn to_svg(&self) -> String {
        let mut markup = Markup::default();
        self.draw_as(&mut markup, true);
        markup.newline();
        markup.finish()
    }

    /// The plot as SVG inside a page, which has the style sheet and draws the legend.
    pub(super) fn draw(&self, markup: &mut Markup) {
        self.draw_as(markup, false);
    }

    fn draw_as(&self, markup: &mut Markup, alone: bool) {
        let (shown, edges) = (self.largest_nodes(), self.heaviest_edges());
        let heaviest = edges.iter().map(|edge| finite(edge.weight)).fold(0.0, f64::max);
        let strength = |edge: &Edge| if heaviest > 0.0 { finite(edge.weight) / heaviest } else { 1.0 };
        let index: BTreeMap<usize, usize> = shown.iter().enumerate().map(|(new, &old)| (old, new)).collect();
        let springs: Vec<(usize, usize, f64)> = edges
            .iter()
            .filter_map(|edge| Some((*index.get(&edge.from)?, *index.get(&edge.to)?, strength(edge))))
            .collect();
        let discs: Vec<Disc<'_>> = self.discs(&shown, &springs);
        let height = discs.iter().map(|disc| disc.y + BOTTOM).fold(120.0, f64::max);

        let view = format!("0 0 {} {}", Px(WIDTH), Px(height));
        // a page needs no name space, and asks nobody for anything
        let space: super::svg::Attributes<'_> =
            if alone { &[("xmlns", &"http://www.w3.org/2000/svg")] } else { &[] };
        let own: super::svg::Attributes<'_> =
            &[("viewBox", &view), ("role", &"img"), ("aria-label", &self.title), ("class", &"plot graph")];
        markup.element("svg", &[space, own].concat(), |markup| {
            if alone {
                markup.element("style", &[], |markup| markup.own(include_str!("graph.css")));
                self.draw_legend(markup);
            }
            // The weakest first, so that the strong ones lie on top.
            for (edge, &(from, to, strength)) in edges.iter().zip(&springs).rev() {
                if let (Some(from), Some(to)) = (discs.get(from), discs.get(to)) {
                    draw_edge(markup, from, to, strength, edge.weight);
                }
            }
            for disc in &discs {
                disc.draw(markup);
            }
            if discs.is_empty() {
                label(markup, (WIDTH / 2.0, height / 2.0), "middle", "no data");
            }
        });
    }

    fn draw_legend(&self, markup: &mut Markup) {
        markup.words("text", &[("x", &Px(12.0)), ("y", &Px(20.0)), ("font-weight", &"600")], &self.title);
        let mut x = 16.0;
        for (place, kind) in self.legend().into_iter().enumerate() {
            markup.element("g", &[("class", &series_class(place))], |markup| {
                markup.empty("circle", &[("cx", &Px(x)), ("cy", &Px(36.0)), ("r", &Px(5.0))]);
                label(markup, (x + 10.0, 40.0), "start", kind);
            });
            x += 32.0 + pixels(kind, FONT);
        }
        markup.newline();
    }

    fn discs(&self, shown: &[usize], springs: &[(usize, usize, f64)]) -> Vec<Disc<'_>> {
        let kinds = self.legend();
        let nodes: Vec<&Node> = shown.iter().filter_map(|&place| self.nodes.get(place)).collect();
        let largest = nodes.iter().map(|node| finite(node.size)).fold(0.0, f64::max);
        let radius = |node: &Node| {
            let share = if largest > 0.0 { finite(node.size) / largest } else { 0.2 };
            7.0 + 21.0 * share.sqrt()
        };
        let colour = |node: &Node| kinds.iter().position(|kind| *kind == node.kind);
        let mut discs: Vec<Disc<'_>> = nodes
            .iter()
            .zip(layout(nodes.len(), springs))
            .map(|(node, (x, y))| Disc { node, x, y, r: radius(node), colour: colour(node) })
            .collect();
        part(&mut discs);
        discs
    }
}

struct Disc<'a> {
    node: &'a Node,
    x: f64,
    y: f64,
    r: f64,
    colour: Option<usize>,
}

impl Disc<'_> {
    /// Half the width and half the height of the disc together with its name.
    fn half_box(&self) -> (f64, f64) {
        let name = pixels(&cut(&self.node.name, 20), FONT);
        (name.max(2.0 * self.r) / 2.0 + 4.0, self.r + 11.0)
    }

    fn draw(&self, markup: &mut Markup) {
        let class = format!("node {}", self.colour.map_or_else(|| "plain".to_owned(), series_class));
        markup.element("g", &[("class", &class)], |markup| {
            let size = if self.node.size.is_finite() { number(self.node.size) } else { String::new() };
            let kind = if self.node.kind.is_empty() { "" } else { ", " };
            markup.words("title", &[], &format!("{}{kind}{}: {size}", self.node.name, self.node.kind));
            markup.empty("circle", &[("cx", &Px(self.x)), ("cy", &Px(self.y)), ("r", &Px(self.r))]);
            label(markup, (self.x, self.y + self.r + 13.0), "middle", &cut(&self.node.name, 20));
        });
        markup.newline();
    }
}

/// An arrow that bends a little to its right, so that there and back are two arrows.
fn draw_edge(markup: &mut Markup, from: &Disc<'_>, to: &Disc<'_>, strength: f64, weight: f64) {
    let width = 0.8 + 3.2 * strength;
    let (path, tip, towards) = if std::ptr::eq(from, to) { loop_path(from) } else { arc_path(from, to) };
    markup.element("g", &[("class", &"edge"), ("opacity", &Px(0.35 + 0.5 * strength))], |markup| {
        markup.words("title", &[], &format!("{} → {}: {}", from.node.name, to.node.name, number(weight)));
        markup.empty("path", &[("class", &"link"), ("d", &path), ("stroke-width", &Px(width))]);
        let (length, half) = (6.0 + width, 2.5 + width * 0.7);
        let (back_x, back_y) = (tip.0 - towards.0 * length, tip.1 - towards.1 * length);
        let (side_x, side_y) = (-towards.1 * half, towards.0 * half);
        let head = [vec![tip, (back_x + side_x, back_y + side_y), (back_x - side_x, back_y - side_y)]];
        markup.empty("path", &[("class", &"head"), ("d", &super::svg::Lines(&head))]);
    });
    markup.newline();
}

/// The path, its tip, and the direction in which it arrives.
type Arrow = (String, (f64, f64), (f64, f64));

fn arc_path(from: &Disc<'_>, to: &Disc<'_>) -> Arrow {
    let along = unit(to.x - from.x, to.y - from.y);
    let distance = length(to.x - from.x, to.y - from.y);
    let bend = (distance * 0.14).min(36.0);
    let middle = ((from.x + to.x) / 2.0 - along.1 * bend, (from.y + to.y) / 2.0 + along.0 * bend);
    let leave = unit(middle.0 - from.x, middle.1 - from.y);
    let arrive = unit(to.x - middle.0, to.y - middle.1);
    let start = (from.x + leave.0 * from.r, from.y + leave.1 * from.r);
    let tip = (to.x - arrive.0 * (to.r + 2.0), to.y - arrive.1 * (to.r + 2.0));
    let end = (tip.0 - arrive.0 * 5.0, tip.1 - arrive.1 * 5.0);
    let path = format!(
        "M{} {}Q{} {} {} {}",
        Px(start.0),
        Px(start.1),
        Px(middle.0),
        Px(middle.1),
        Px(end.0),
        Px(end.1)
    );
    (path, tip, arrive)
}

/// A loop above the disc.
fn loop_path(disc: &Disc<'_>) -> Arrow {
    let top = disc.y - disc.r;
    let (left, right) = (disc.x - disc.r * 0.45, disc.x + disc.r * 0.45);
    let rim = disc.y - disc.r * 0.9;
    let high = top - 26.0;
    let path = format!(
        "M{} {}C{} {} {} {} {} {}",
        Px(left),
        Px(rim),
        Px(left - 16.0),
        Px(high),
        Px(right + 16.0),
        Px(high),
        Px(right + 1.5),
        Px(rim - 6.0)
    );
    (path, (right, rim - 1.0), unit(-0.35, 1.0))
}

fn length(x: f64, y: f64) -> f64 {
    (x * x + y * y).sqrt()
}

fn unit(x: f64, y: f64) -> (f64, f64) {
    let length = length(x, y);
    if length > 1e-9 { (x / length, y / length) } else { (1.0, 0.0) }
}

fn finite(value: f64) -> f64 {
    if value.is_finite() { value.clamp(0.0, 1e100) } else { 0.0 }
}

/// Places for so many discs, inside the drawing.
fn layout(count: usize, springs: &[(usize, usize, f64)]) -> Vec<(f64, f64)> {
    let mut places = spread(count);
    let ideal = (1.0 / count.max(1) as f64).sqrt();
    for step in 0..STEPS {
        let reach = 0.12 * (1.0 - step as f64 / STEPS as f64) + 0.001;
        let forces = forces(&places, springs, ideal);
        for (place, force) in places.iter_mut().zip(forces) {
            let size = length(force.0, force.1);
            let (x, y) = unit(force.0, force.1);
            place.0 += x * size.min(reach);
            place.1 += y * size.min(reach);
        }
    }
    into_box(&places)
}

/// A fixed, even, irregular spread over the unit square: multiples of irrational numbers (the plastic ratio's).
fn spread(count: usize) -> Vec<(f64, f64)> {
    let place = |index: usize| {
        let n = index as f64 + 0.5;
        ((n * 0.754_877_666_246_692_8).fract(), (n * 0.569_840_290_998_053_3).fract())
    };
    (0..count).map(place).collect()
}

fn forces(places: &[(f64, f64)], springs: &[(usize, usize, f64)], ideal: f64) -> Vec<(f64, f64)> {
    // A weak pull to the middle keeps parts that are not joined from drifting apart.
    let mut forces: Vec<(f64, f64)> =
        places.iter().map(|&(x, y)| ((0.5 - x) * 0.6, (0.5 - y) * 0.6)).collect();
    for (force, a) in forces.iter_mut().zip(places) {
        for b in places {
            let (dx, dy) = (a.0 - b.0, a.1 - b.1);
            let distance = length(dx, dy);
            if distance > 1e-9 {
                let push = ideal * ideal / distance.max(0.01);
                force.0 += dx / distance * push;
                force.1 += dy / distance * push;
            }
        }
    }
    for &(from, to, strength) in springs {
        let (Some(&a), Some(&b)) = (places.get(from), places.get(to)) else { continue };
        let (dx, dy) = (b.0 - a.0, b.1 - a.1);
        let pull = length(dx, dy) / ideal * (0.1 + 0.5 * strength);
        if let Some(force) = forces.get_mut(from) {
            (force.0, force.1) = (force.0 + dx * pull, force.1 + dy * pull);
        }
        if let Some(force) = forces.get_mut(to) {
            (force.0, force.1) = (force.0 - dx * pull, force.1 - dy * pull);
        }
    }
    forces
}

/// Stretches the places over the drawing, or over a part of it if there are few.
fn into_box(places: &[(f64, f64)]) -> Vec<(f64, f64)> {
    let range = |coordinate: fn(&(f64, f64)) -> f64| {
        let ends = places.iter().map(coordinate);
        ends.fold((f64::MAX, f64::MIN), |(low, high), value| (low.min(value), high.max(value)))
    };
    let ((left, right), (top, bottom)) = (range(|place| place.0), range(|place| place.1));
    let room = 150.0 * (places.len() as f64).sqrt();
    let width = (WIDTH - 2.0 * SIDE).min(room * 1.4);
    let height = (HEIGHT - TOP - BOTTOM).min(room);
    let share =
        |value: f64, low: f64, high: f64| if high - low > 1e-9 { (value - low) / (high - low) } else { 0.5 };
    let place = |&(x, y): &(f64, f64)| {
        ((WIDTH - width) / 2.0 + share(x, left, right) * width, TOP + share(y, top, bottom) * height)
    };
    places.iter().map(place).collect()
}

/// Pushes discs apart whose names would lie on one another, a little at a time, each in the direction that needs less.
fn part(discs: &mut [Disc<'_>]) {
    const ROUNDS: usize = 80;
    for _ in 0..ROUNDS {
        let boxes: Vec<(f64, f64, (f64, f64))> =
            discs.iter().map(|disc| (disc.x, disc.y, disc.half_box())).collect();
        for (a, disc) in discs.iter_mut().enumerate() {
            let Some(&(x, y, half)) = boxes.get(a) else { continue };
            for (b, &(other_x, other_y, other)) in boxes.iter().enumerate() {
                let (dx, dy) = (x - other_x, y - other_y);
                let over = (half.0 + other.0 - dx.abs(), half.1 + other.1 - dy.abs());
                if a == b || over.0 <= 0.0 || over.1 <= 0.0 {
                    continue;
                }
                // Two on the same spot part by their order.
                let sign = |d: f64| if d > 0.0 || (d == 0.0 && a > b) { 1.0 } else { -1.0 };
                if over.0 < over.1 {
                    disc.x += sign(dx) * over.0 * 0.3;
                } else {
                    disc.y += sign(dy) * over.1 * 0.3;
                }
            }
            disc.x = disc.x.clamp(SIDE, WIDTH - SIDE);
            disc.y = disc.y.clamp(TOP, HEIGHT - BOTTOM);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn graph(sizes: &[f64], edges: &[(usize, usize, f64)]) -> GraphPlot {
        let node = |(place, &size): (usize, &f64)| Node { name: format!("n{place}"), kind: "k".into(), size };
        GraphPlot {
            nodes: sizes.iter().enumerate().map(node).collect(),
            edges: edges.iter().map(|&(from, to, weight)| Edge { from, to, weight }).collect(),
            ..GraphPlot::default()
        }
    }

    fn svg(plot: &GraphPlot) -> String {
        let mut markup = Markup::default();
        plot.draw(&mut markup);
        markup.finish()
    }

    #[test]
    fn nodes_and_arrows_are_drawn() {
        let plot = graph(&[1.0, 2.0, 3.0], &[(0, 1, 1.0), (1, 0, 2.0), (2, 2, 1.0)]);
        let svg = svg(&plot);
        assert_eq!((svg.matches("class=\"node").count(), svg.matches("class=\"edge").count()), (3, 3));
        let file = plot.to_svg();
        assert!(file.starts_with("<svg xmlns=") && file.contains("<style>"), "{file}");
        assert!(svg.contains("<title>n1 → n0: 2</title>"));
    }

    #[test]
    fn bad_data_is_harmless() {
        let check = |sizes: &[f64], edges: &[(usize, usize, f64)], arrows: usize| {
            let svg = svg(&graph(sizes, edges));
            assert_eq!(svg.matches("class=\"edge").count(), arrows);
            assert!(!svg.contains("NaN") && !svg.contains("inf"), "{svg}");
        };
        check(&[], &[(0, 1, 1.0)], 0);
        check(&[1.0], &[(0, 9, 1.0), (0, 0, 1.0)], 1);
        check(&[f64::NAN, f64::INFINITY, -3.0], &[(0, 1, f64::NAN), (1, 2, f64::INFINITY)], 2);
        check(&[0.0, 0.0], &[(0, 1, 0.0)], 1);
    }

    #[test]
    fn large_graphs_lose_their_small_parts() {
        let sizes: Vec<f64> = (0..100).map(f64::from).collect();
        let edges: Vec<(usize, usize, f64)> = (0..99).map(|place| (place, place + 1, 1.0)).collect();
        let plot = graph(&sizes, &edges);
        assert_eq!(svg(&plot).matches("class=\"node").count(), MOST_NODES);
        assert_eq!(
            plot.left_out().as_deref(),
            Some("Not drawn: the 40 smallest nodes, the 40 weakest arrows.")
        );
        assert_eq!(graph(&[1.0], &[]).left_out(), None);
    }

    #[test]
    fn names_are_pushed_apart() {
        let sizes = [1.0; 30];
        let springs: Vec<(usize, usize, f64)> = (0..30).map(|place| (0, place, 1.0)).collect();
        let plot = graph(&sizes, &[]);
        let shown: Vec<usize> = (0..30).collect();
        let discs = plot.discs(&shown, &springs);
        let boxes: Vec<(f64, f64, (f64, f64))> =
            discs.iter().map(|disc| (disc.x, disc.y, disc.half_box())).collect();
        for (index, a) in boxes.iter().enumerate() {
            for b in &boxes[..index] {
                let beside = (a.0 - b.0).abs() > (a.2.0 + b.2.0) * 0.9;
                let above = (a.1 - b.1).abs() > (a.2.1 + b.2.1) * 0.9;
                assert!(beside || above, "{a:?} lies on {b:?}");
            }
        }
    }

    #[test]
    fn discs_lie_inside_and_apart() {
        let springs: Vec<(usize, usize, f64)> =
            (0..12).map(|place| (place, (place * 5 + 1) % 12, 1.0)).collect();
        let places = layout(12, &springs);
        for (index, a) in places.iter().enumerate() {
            assert!((0.0..=WIDTH).contains(&a.0) && (0.0..=HEIGHT).contains(&a.1));
            for b in &places[..index] {
                assert!(length(a.0 - b.0, a.1 - b.1) > 20.0, "{a:?} and {b:?}");
            }
        }
    }
}
