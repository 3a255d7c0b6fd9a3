//! The values that a key takes: a list, a range, or drawn at random.

use taffeta_scene::format::{Bounds, Key, Kind, Reader, Section};
use taffeta_scene::text::{Node, Problem, Value};

pub const VARY: Section = Section {
    heading: "[[vary]]",
    doc: "A key of the scene and the values it takes, by exactly one of `values`, `range` and \
          `random`. Every value of one key goes with every value of the others.",
    keys: &[
        Key::new("key", Kind::Text, "The key, as `--set` takes it: `fabric.density`.").required(),
        Key::new("values", Kind::Table, ""),
        Key::new("range", Kind::Pair("", Bounds::Any), "From the first to the second, evenly."),
        Key::new("steps", Kind::Count(2, 1_000_000), "How many values of a `range`.").or("5"),
        Key::new(
            "random",
            Kind::Pair("", Bounds::Any),
            "Drawn between the two, anew for each of the plan's `samples`.",
        ),
        Key::new("log", Kind::Flag, "Whether evenly means by equal factors.").or("false"),
    ],
};

/// A key and the values it takes.
#[derive(Clone, Debug, PartialEq)]
pub struct Vary {
    pub key: String,
    pub values: Values,
}

/// The values of a key, as TOML.
#[derive(Clone, Debug, PartialEq)]
pub enum Values {
    List(Vec<toml::Value>),
    Random(Spread),
}

/// Numbers between two ends.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Spread {
    pub ends: [f64; 2],
    pub log: bool,
}

impl Spread {
    /// The number at a share of the way.
    pub fn at(&self, share: f64) -> f64 {
        let [a, b] = self.ends;
        match (share, self.log) {
            (0.0, _) => a,
            (1.0, _) => b,
            (_, false) => a + (b - a) * share,
            (_, true) => a * libm::pow(b / a, share),
        }
    }
}

/// Reads one `[[vary]]`; `node` is the table itself.
pub fn read(vary: &Reader, node: &Node) -> Vary {
    let key = vary.text("key");
    let ways: Vec<&str> =
        ["values", "range", "random"].into_iter().filter(|way| vary.has(way)).collect();
    if ways.len() != 1 {
        let message = match ways.len() {
            0 => "[[vary]] has no values".to_string(),
            _ => format!("[[vary]] has one of {}", ways.join(" and ")),
        };
        let help = "write values = […], range = [from, to] or random = [from, to]";
        vary.add(Problem::at(vary.span(), message).help(help));
    }
    let list = node.entry("values").map(|entry| list(vary, &entry.node));
    let spread = |way| spread(vary, way);
    let values = if let Some(list) = list {
        Values::List(list)
    } else if vary.has("range") {
        let (spread, last) = (spread("range"), vary.count("steps").max(2) - 1);
        let number = |step| toml::Value::Float(spread.at(f64::from(step) / f64::from(last)));
        Values::List((0..=last).map(number).collect())
    } else {
        Values::Random(spread("random"))
    };
    Vary { key, values }
}

fn list(vary: &Reader, node: &Node) -> Vec<toml::Value> {
    match &node.value {
        Value::List(items) if !items.is_empty() => items.iter().map(Node::to_toml).collect(),
        _ => {
            let message = format!("a list of values is needed, not {}", node.kind());
            vary.add(Problem::at(node.span.clone(), message));
            Vec::new()
        }
    }
}

fn spread(vary: &Reader, way: &'static str) -> Spread {
    let (ends, log) = (vary.pair(way), vary.flag("log"));
    if vary.has(way) && log && !ends.iter().all(|end| *end > 0.0) {
        let message = "values by equal factors lie between two numbers above zero";
        vary.add(Problem::at(vary.span_of(way), message).help("leave `log` out"));
    }
    Spread { ends, log }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spreads_end_where_they_say_and_are_even() {
        let even = Spread { ends: [1.0, 3.0], log: false };
        assert_eq!([0.0, 0.5, 1.0].map(|share| even.at(share)), [1.0, 2.0, 3.0]);
        let factors = Spread { ends: [1e-6, 1e-2], log: true };
        assert_eq!((factors.at(0.0), factors.at(1.0)), (1e-6, 1e-2));
        assert!((factors.at(0.5) / 1e-4 - 1.0).abs() < 1e-12);
    }
}
