//! Writes proposals as TOML for people to read and edit.

use std::fmt::Write;

use osprey_model::counted;

use super::super::rules::{FieldRule, Take};
use super::Proposals;

/// `[[extract.rule]]` tables, each below its evidence.
pub(super) fn toml(proposals: &Proposals) -> String {
    let mut out = String::new();
    for found in &proposals.proposed {
        let share = 100.0 * found.coverage;
        // a comment is one line, whatever the page contains
        let evidence: String = found.evidence.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
        let _ = writeln!(out, "# {evidence}; on {share:.0} % of {}", counted(proposals.pages as u64, "page"));
        rule(&mut out, &found.rule, proposals);
        out.push('\n');
    }
    out
}

fn rule(out: &mut String, rule: &FieldRule, proposals: &Proposals) {
    let on = rule.on.clone().unwrap_or_else(|| proposals.kind.to_string());
    let mut line = |key: &str, value: &str| {
        let _ = writeln!(out, "{key} = {value}");
    };
    let given = [
        ("label", &rule.label),
        ("contains", &rule.contains),
        ("after", &rule.after),
        ("before", &rule.before),
    ];
    line("[[extract.rule]]\non", &quoted(&on));
    line("field", &quoted(&rule.field.to_string()));
    line("path", &quoted(rule.path.as_str()));
    for (key, value) in given {
        if let Some(value) = value {
            line(key, &quoted(value));
        }
    }
    if !rule.strip.is_empty() {
        line(
            "strip",
            &format!("[{}]", rule.strip.iter().map(|text| quoted(text)).collect::<Vec<_>>().join(", ")),
        );
    }
    if rule.take != Take::Text {
        let take = match rule.take {
            Take::Text => "text",
            Take::Href => "href",
            Take::Image => "image",
            Take::Datetime => "datetime",
            Take::Number => "number",
            Take::Block => "block",
        };
        line("take", &quoted(take));
    }
    if rule.first {
        line("first", "true");
    }
    if let Some(nth) = rule.nth {
        line("nth", &nth.to_string());
    }
    if rule.otherwise {
        line("otherwise", "true");
    }
}

/// A basic string of TOML.
fn quoted(text: &str) -> String {
    let mut out = String::from("\"");
    for c in text.chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            c if c.is_control() => {
                let _ = write!(out, "\\u{:04X}", u32::from(c));
            }
            c => out.push(c),
        }
    }
    out.push('"');
    out
}
