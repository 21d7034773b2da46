//! Curves of crawls as pictures: relevant pages over visited ones. The script of the crawl page loads a new one when
//! the figures change.

use std::sync::Arc;

use axum::extract::{Path, State};
use axum::response::Response;
use maud::{Markup, html};
use osprey_charts::{Axis, CurvePlot, CurvePoint, Series};
use osprey_engine::Service;

use super::{drawing, grouped};
use crate::app::App;
use crate::crawl_view::CrawlView;
use crate::error::Failure;

/// `GET /p/{name}/curve.svg`
pub(crate) async fn of_project(
    State(app): State<Arc<App>>,
    Path(name): Path<String>,
) -> Result<Response, Failure> {
    let project = app.project(&name)?;
    let svg = app.work(move || Ok(plot(&[(project.name(), &CrawlView::of(&project))]).to_svg())).await?;
    Ok(drawing(svg))
}

/// `GET /curve.svg`: those of all projects, to compare.
pub(crate) async fn of_all(State(app): State<Arc<App>>) -> Result<Response, Failure> {
    let projects: Vec<Arc<Service>> = app.projects().cloned().collect();
    let svg = app.work(move || {
        let views: Vec<CrawlView> = projects.iter().map(|project| CrawlView::of(project)).collect();
        let crawls: Vec<(&str, &CrawlView)> =
            projects.iter().map(|project| project.name()).zip(&views).collect();
        Ok(plot(&crawls).to_svg())
    });
    Ok(drawing(svg.await?))
}

fn plot(crawls: &[(&str, &CrawlView)]) -> CurvePlot {
    let line = |(name, view): &(&str, &CrawlView)| {
        Series::new(*name, view.curve.iter().map(|&(x, y)| CurvePoint::new(x as f64, y as f64)))
    };
    CurvePlot {
        title: "Relevant pages over time".to_owned(),
        x: Axis::linear("pages visited"),
        y: Axis::linear("relevant pages"),
        series: crawls.iter().map(line).collect(),
    }
}

/// The picture at an address, and what it shows in words.
pub(crate) fn figure(address: &str, crawls: &[(&str, &CrawlView)]) -> Markup {
    html! {
        figure.curve {
            img src=(address) alt="Curve of relevant pages over visited ones" width="760" height="380";
            figcaption {
                @for (name, view) in crawls {
                    p { (name) ": " (grouped(view.relevant)) " relevant of " (grouped(view.visited)) " visited" }
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_curve_is_drawn_and_said() {
        let curve = vec![(0, 0), (50, 10), (100, 50)];
        let view = CrawlView { visited: 100, relevant: 50, curve, ..CrawlView::default() };
        let svg = plot(&[("<a>", &view)]).to_svg();
        assert!(svg.contains("&lt;a&gt;: 10 at 50") && !svg.contains("<a>"), "{svg}");
        let figure = figure("/curve.svg", &[("<a>", &view)]).into_string();
        assert!(figure.contains("&lt;a&gt;: 50 relevant of 100 visited"), "{figure}");
        assert!(plot(&[]).to_svg().contains("no data"));
    }
}
