//! The sitemap graph: page types as discs, links between them as arrows.

use maud::{Markup, html};
use serde::Serialize;

use crate::canvas::{Drawing, Point, label, lines, px, series_class};
use crate::label::{clean, cut, pixels};
use crate::layout::{self, Spring, length, unit};
use crate::number::number;

/// Discs and arrows.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct GraphPlot {
    /// What it shows.
    pub title: String,
    /// The discs.
    pub nodes: Vec<Node>,
    /// The arrows; arrows with an invalid disc are ignored.
    pub edges: Vec<Edge>,
}

/// A disc.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Node {
    /// Its name.
    pub name: String,
    /// The kind, which selects the colour: `list`, `detail`.
    pub kind: String,
    /// The size, shown as its area: the number of pages.
    pub size: f64,
}

/// An arrow.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct Edge {
    /// The place of a disc in the list.
    pub from: usize,
    /// The place of the disc it points at; may be the same.
    pub to: usize,
    /// The weight, shown as its width.
    pub weight: f64,
}

/// Larger graphs are hairballs: only the largest discs and the heaviest arrows are drawn.
const MOST_NODES: usize = 60;
const MOST_EDGES: usize = 240;

/// Letters of a name.
const NAME: usize = 20;

impl GraphPlot {
    /// The plot as an SVG file, with its title and a legend in it.
    pub fn to_svg(&self) -> String {
        self.draw().into_file(&self.title)
    }

    /// Kinds in the order of their first disc.
    fn kinds(&self) -> Vec<&str> {
        let mut kinds: Vec<&str> = Vec::new();
        for node in self.nodes.iter().filter(|node| !node.kind.is_empty()) {
            if !kinds.contains(&node.kind.as_str()) {
                kinds.push(&node.kind);
            }
        }
        kinds
    }

    /// The places of the largest nodes, in order.
    fn largest_nodes(&self) -> Vec<usize> {
        let size = |place: &usize| self.nodes.get(*place).map_or(0.0, |node| finite(node.size));
        let mut places: Vec<usize> = (0..self.nodes.len()).collect();
        places.sort_by(|a, b| size(b).total_cmp(&size(a)).then(a.cmp(b)));
        places.truncate(MOST_NODES);
        places.sort_unstable();
        places
    }

    /// The heaviest arrows between those, the heaviest first; ends are indices into `shown`.
    fn heaviest_edges(&self, shown: &[usize]) -> Vec<Edge> {
        let among = |edge: &Edge| {
            let (from, to) = (shown.binary_search(&edge.from).ok()?, shown.binary_search(&edge.to).ok()?);
            Some(Edge { from, to, ..*edge })
        };
        let mut edges: Vec<Edge> = self.edges.iter().filter_map(among).collect();
        edges.sort_by(|a, b| {
            finite(b.weight).total_cmp(&finite(a.weight)).then((a.from, a.to).cmp(&(b.from, b.to)))
        });
        edges.truncate(MOST_EDGES);
        edges
    }

    fn draw(&self) -> Drawing {
        let shown = self.largest_nodes();
        let edges = self.heaviest_edges(&shown);
        let heaviest = edges.first().map_or(0.0, |edge| finite(edge.weight));
        let strength = |edge: &Edge| if heaviest > 0.0 { finite(edge.weight) / heaviest } else { 1.0 };
        let springs: Vec<Spring> = edges
            .iter()
            .map(|edge| Spring { from: edge.from, to: edge.to, strength: strength(edge) })
            .collect();
        let discs = self.discs(&shown, &springs);
        let height = discs.iter().map(|disc| disc.at.1 + layout::BOTTOM).fold(120.0, f64::max);
        let inside = html! {
            (self.legend())
            // The weakest first, so that the strong ones lie on top.
            @for (edge, spring) in edges.iter().zip(&springs).rev() {
                @if let (Some(from), Some(to)) = (discs.get(edge.from), discs.get(edge.to)) {
                    (draw_edge(from, to, spring.strength, edge.weight))
                }
            }
            @for disc in &discs { (disc.draw()) }
            @if discs.is_empty() { (label((layout::WIDTH / 2.0, height / 2.0), "middle", "no data")) }
        };
        Drawing { size: (layout::WIDTH, height), inside }
    }

    fn legend(&self) -> Markup {
        let mut x = -16.0;
        let mut entry = |kind: &str| {
            x += 32.0;
            let at = x;
            x += pixels(kind);
            at
        };
        html! {
            text x="12" y="20" font-weight="600" { (clean(&self.title)) }
            @for (place, kind) in self.kinds().into_iter().enumerate() {
                @let x = entry(kind);
                g class=(series_class(place)) {
                    circle.dot cx=(px(x)) cy="36" r="5" {}
                    (label((x + 10.0, 40.0), "start", kind))
                }
            }
        }
    }

    fn discs<'a>(&'a self, shown: &[usize], springs: &[Spring]) -> Vec<Disc<'a>> {
        let kinds = self.kinds();
        let nodes: Vec<&Node> = shown.iter().filter_map(|&place| self.nodes.get(place)).collect();
        let largest = nodes.iter().map(|node| finite(node.size)).fold(0.0, f64::max);
        let disc = |node: &&'a Node| {
            let share = if largest > 0.0 { finite(node.size) / largest } else { 0.2 };
            let colour = kinds.iter().position(|kind| *kind == node.kind);
            Disc { node, at: (0.0, 0.0), r: 7.0 + 21.0 * share.sqrt(), colour }
        };
        let mut discs: Vec<Disc<'_>> = nodes.iter().map(disc).collect();
        let boxes: Vec<Point> = discs.iter().map(Disc::half_box).collect();
        for (disc, at) in discs.iter_mut().zip(layout::positions(&boxes, springs)) {
            disc.at = at;
        }
        discs
    }
}

struct Disc<'a> {
    node: &'a Node,
    at: Point,
    r: f64,
    colour: Option<usize>,
}

impl Disc<'_> {
    /// Half the width and half the height of the disc together with its name.
    fn half_box(&self) -> (f64, f64) {
        (pixels(&cut(&self.node.name, NAME)).max(2.0 * self.r) / 2.0 + 4.0, self.r + 11.0)
    }

    fn draw(&self) -> Markup {
        let Node { name, kind, size } = self.node;
        let (x, y) = self.at;
        html! {
            g class={ "node " (self.colour.map_or_else(|| "plain".to_owned(), series_class)) } {
                title {
                    (clean(name)) @if !kind.is_empty() { ", " (clean(kind)) } ": "
                    @if size.is_finite() { (number(*size)) }
                }
                circle cx=(px(x)) cy=(px(y)) r=(px(self.r)) {}
                (label((x, y + self.r + 13.0), "middle", &cut(name, NAME)))
            }
        }
    }
}

/// An arrow that bends a little to its right, so that opposite arrows do not overlap.
fn draw_edge(from: &Disc<'_>, to: &Disc<'_>, strength: f64, weight: f64) -> Markup {
    let width = 0.8 + 3.2 * strength;
    let Arrow { path, tip, towards } = if std::ptr::eq(from, to) { round(from) } else { arc(from, to) };
    let (long, half) = (6.0 + width, 2.5 + width * 0.7);
    let (back_x, back_y) = (tip.0 - towards.0 * long, tip.1 - towards.1 * long);
    let (side_x, side_y) = (-towards.1 * half, towards.0 * half);
    let head = vec![tip, (back_x + side_x, back_y + side_y), (back_x - side_x, back_y - side_y)];
    html! {
        g.edge opacity=(px(0.35 + 0.5 * strength)) {
            title { (clean(&from.node.name)) " → " (clean(&to.node.name)) ": " (number(weight)) }
            path.link d=(path) stroke-width=(px(width)) {}
            path.head d=(lines(&[head])) {}
        }
    }
}

/// The path of an arrow, its tip, and the direction in which it arrives.
struct Arrow {
    path: String,
    tip: Point,
    towards: Point,
}

fn arc(from: &Disc<'_>, to: &Disc<'_>) -> Arrow {
    let ((x, y), (to_x, to_y)) = (from.at, to.at);
    let along = unit(to_x - x, to_y - y);
    let bend = (length(to_x - x, to_y - y) * 0.14).min(36.0);
    let middle = ((x + to_x) / 2.0 - along.1 * bend, (y + to_y) / 2.0 + along.0 * bend);
    let leave = unit(middle.0 - x, middle.1 - y);
    let arrive = unit(to_x - middle.0, to_y - middle.1);
    let start = (x + leave.0 * from.r, y + leave.1 * from.r);
    let tip = (to_x - arrive.0 * (to.r + 2.0), to_y - arrive.1 * (to.r + 2.0));
    let end = (tip.0 - arrive.0 * 5.0, tip.1 - arrive.1 * 5.0);
    Arrow { path: format!("M{}Q{} {}", at(start), at(middle), at(end)), tip, towards: arrive }
}

/// A loop above the disc.
fn round(disc: &Disc<'_>) -> Arrow {
    let ((x, y), r) = (disc.at, disc.r);
    let (left, right) = (x - r * 0.45, x + r * 0.45);
    let (rim, high) = (y - r * 0.9, y - r - 26.0);
    let bends = format!("{} {}", at((left - 16.0, high)), at((right + 16.0, high)));
    let path = format!("M{}C{bends} {}", at((left, rim)), at((right + 1.5, rim - 6.0)));
    Arrow { path, tip: (right, rim - 1.0), towards: unit(-0.35, 1.0) }
}

fn at((x, y): Point) -> String {
    format!("{} {}", px(x), px(y))
}

fn finite(value: f64) -> f64 {
    if value.is_finite() { value.clamp(0.0, 1e100) } else { 0.0 }
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
        plot.draw().inside.into_string()
    }

    #[test]
    fn nodes_and_arrows_are_drawn() {
        let plot = graph(&[1.0, 2.0, 3.0], &[(0, 1, 1.0), (1, 0, 2.0), (2, 2, 1.0)]);
        let svg = svg(&plot);
        assert_eq!((svg.matches("class=\"node").count(), svg.matches("class=\"edge").count()), (3, 3));
        assert!(svg.contains("<title>n1 → n0: 2</title>"));
        let file = plot.to_svg();
        assert!(file.starts_with("<svg xmlns=") && file.contains("prefers-color-scheme: dark"), "{file}");
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
        let svg = svg(&graph(&sizes, &edges));
        assert_eq!(
            (svg.matches("class=\"node").count(), svg.matches("class=\"edge").count()),
            (MOST_NODES, 59)
        );
    }
}
