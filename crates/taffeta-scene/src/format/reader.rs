//! Reads declared keys from a table. Whatever is wrong is noted with its place and a harmless
//! value is returned, so that one pass finds every mistake.

use glam::DVec3;

use super::key::{Key, Kind, Section};
use crate::text::{Entry, Node, Problem, Problems, Span, Value};

/// A table being read.
pub struct Reader<'a> {
    node: Option<&'a Node>,
    span: Span,
    section: &'static Section,
    problems: &'a Problems,
}

impl<'a> Reader<'a> {
    /// Starts on a table; keys its section does not declare are problems.
    pub fn new(node: &'a Node, section: &'static Section, problems: &'a Problems) -> Self {
        let reader = Self { node: Some(node), span: node.span.clone(), section, problems };
        match &node.value {
            Value::Table(entries) => entries.iter().for_each(|entry| reader.refuse_unknown(entry)),
            _ => {
                let message = format!("{} is a table, not {}", section.name(), node.kind());
                problems.add(Problem::at(node.span.clone(), message));
            }
        }
        reader
    }

    /// Reads a table that is not there: every key has its default.
    pub fn absent(span: Span, section: &'static Section, problems: &'a Problems) -> Self {
        Self { node: None, span, section, problems }
    }

    /// A table in this one, or its defaults if it is not there.
    pub fn table(&self, key: &str, section: &'static Section) -> Reader<'a> {
        match self.entry(key) {
            Some(entry) => Reader::new(&entry.node, section, self.problems),
            None => Reader::absent(self.span.clone(), section, self.problems),
        }
    }

    /// The tables of a list in this one.
    pub fn tables(&self, key: &str, section: &'static Section) -> Vec<Reader<'a>> {
        let Some(entry) = self.entry(key) else { return Vec::new() };
        match &entry.node.value {
            Value::List(items) => {
                items.iter().map(|item| Reader::new(item, section, self.problems)).collect()
            }
            _ => {
                self.add(
                    Problem::at(entry.key_span.clone(), format!("`{key}` is a list of tables"))
                        .help(format!("write {} with two pairs of brackets", section.heading)),
                );
                Vec::new()
            }
        }
    }

    /// Whether a key is there and is a list.
    pub fn has_list(&self, key: &str) -> bool {
        self.entry(key).is_some_and(|entry| matches!(entry.node.value, Value::List(_)))
    }

    /// A table, or those of a list, for a look at them beside their reading.
    pub fn unread(&self, key: &str) -> &'a [Node] {
        match self.entry(key).map(|entry| &entry.node) {
            Some(Node { value: Value::List(items), .. }) => items,
            Some(node) => std::slice::from_ref(node),
            None => &[],
        }
    }

    /// Whether a key is there.
    pub fn has(&self, key: &str) -> bool {
        self.entry(key).is_some()
    }

    /// Where a key's value is, or the table if it is not there.
    pub fn span_of(&self, key: &str) -> Span {
        self.entry(key).map_or(self.span.clone(), |entry| entry.node.span.clone())
    }

    /// Where the table is.
    pub fn span(&self) -> Span {
        self.span.clone()
    }

    /// Where a key is written, or the table if it is not there.
    pub fn key_span(&self, key: &str) -> Span {
        self.entry(key).map_or(self.span.clone(), |entry| entry.key_span.clone())
    }

    /// Notes a problem.
    pub fn add(&self, problem: Problem) {
        self.problems.add(problem);
    }

    /// A number, or the key's default.
    pub fn number(&self, key: &'static str) -> f64 {
        self.read(key, 0.0, number)
    }

    /// A number, if there is one.
    pub fn optional_number(&self, key: &'static str) -> Option<f64> {
        self.has(key).then(|| self.try_read(key, number)).flatten()
    }

    /// A whole number, or the key's default.
    pub fn count(&self, key: &'static str) -> u32 {
        self.read(key, 0, |node, kind| match kind {
            Kind::Count(min, max) => count(node, min, max),
            _ => Err("no whole number is expected here".into()),
        })
    }

    /// A whole number, if there is one.
    pub fn optional_count(&self, key: &'static str) -> Option<u32> {
        self.has(key).then(|| self.count(key))
    }

    /// Three numbers, or the key's default.
    pub fn vector(&self, key: &'static str) -> DVec3 {
        self.read(key, DVec3::ZERO, checked_vector)
    }

    /// Three numbers, if they are there.
    pub fn optional_vector(&self, key: &'static str) -> Option<DVec3> {
        self.has(key).then(|| self.try_read(key, checked_vector)).flatten()
    }

    /// Two numbers, or the key's default.
    pub fn pair(&self, key: &'static str) -> [f64; 2] {
        self.read(key, [0.0; 2], |node, kind| items(node, |item| number(item, kind)))
    }

    /// Two whole numbers, or the key's default.
    pub fn count_pair(&self, key: &'static str) -> [u32; 2] {
        self.read(key, [0; 2], |node, kind| match kind {
            Kind::CountPair(min, max) => items(node, |item| count(item, min, max)),
            _ => Err("no whole numbers are expected here".into()),
        })
    }

    /// Two points, if they are there.
    pub fn optional_points(&self, key: &'static str) -> Option<[DVec3; 2]> {
        self.has(key).then(|| self.read(key, [DVec3::ZERO; 2], |node, _| items(node, vector)))
    }

    /// A list of points; empty if it is not there.
    pub fn point_list(&self, key: &'static str) -> Vec<DVec3> {
        self.read(key, Vec::new(), |node, _| match &node.value {
            Value::List(items) => {
                items.iter().map(|item| vector(item).map_err(|r| r.at(item))).collect()
            }
            _ => Err(format!("a list of points is needed, not {}", node.kind()).into()),
        })
    }

    /// A list of pairs of numbers; empty if it is not there.
    pub fn pair_list(&self, key: &'static str) -> Vec<[f64; 2]> {
        if !self.has(key) {
            return Vec::new();
        }
        self.read(key, Vec::new(), |node, _| match &node.value {
            Value::List(all) => {
                all.iter().map(|item| items(item, plain_number).map_err(|r| r.at(item))).collect()
            }
            _ => Err(format!("a list of pairs of numbers is needed, not {}", node.kind()).into()),
        })
    }

    /// Particle numbers and their places, if they are there.
    pub fn optional_particles(&self, key: &'static str) -> Option<Vec<(u32, Span)>> {
        self.has(key).then(|| {
            self.read(key, Vec::new(), |node, _| match &node.value {
                Value::List(items) => items
                    .iter()
                    .map(|item| {
                        let number = count(item, 0, u32::MAX).map_err(|r| r.at(item))?;
                        Ok((number, item.span.clone()))
                    })
                    .collect(),
                _ => {
                    Err(format!("a list of particle numbers is needed, not {}", node.kind()).into())
                }
            })
        })
    }

    /// True or false, or the key's default.
    pub fn flag(&self, key: &'static str) -> bool {
        self.read(key, false, |node, _| match node.value {
            Value::Boolean(value) => Ok(value),
            _ => Err(format!("true or false is needed, not {}", node.kind()).into()),
        })
    }

    /// An sRGB code, if there is one.
    pub fn optional_colour(&self, key: &'static str) -> Option<u32> {
        self.has(key).then(|| self.try_read(key, |node, _| colour(node))).flatten()
    }

    /// Text, or the key's default.
    pub fn text(&self, key: &'static str) -> String {
        self.read(key, String::new(), |node, _| text(node))
    }

    /// A list of texts, or the key's default.
    pub fn texts(&self, key: &'static str) -> Vec<String> {
        self.read(key, Vec::new(), |node, _| match &node.value {
            Value::List(items) => {
                items.iter().map(|item| text(item).map_err(|r| r.at(item))).collect()
            }
            _ => Err(format!("a list of texts is needed, not {}", node.kind()).into()),
        })
    }

    /// One of a key's words, or its default.
    pub fn choice(&self, key: &'static str) -> &'static str {
        self.read(key, "", |node, kind| {
            let Kind::Choice(words) = kind else { return Err("no word is expected here".into()) };
            let word = text(node)?;
            words.iter().find(|known| **known == word).copied().ok_or_else(|| {
                let help = format!("one of {}", words.join(", "));
                let nearest = nearest(&word, words.iter().copied());
                let help = nearest.map_or(help.clone(), |n| format!("did you mean `{n}`? {help}"));
                Refusal { help: Some(help), ..format!("`{word}` is not known here").into() }
            })
        })
    }

    fn entry(&self, key: &str) -> Option<&'a Entry> {
        self.node.and_then(|node| node.entry(key))
    }

    fn declared(&self, key: &str) -> Option<&'static Key> {
        let declared = self.section.keys.iter().find(|declared| declared.name == key);
        debug_assert!(declared.is_some(), "{} declares no key {key}", self.section.name());
        declared
    }

    /// Reads a key's value or its default; on a problem, notes it and returns `fallback`.
    fn read<T>(
        &self,
        key: &'static str,
        fallback: T,
        parse: impl Fn(&Node, Kind) -> Result<T, Refusal>,
    ) -> T {
        self.try_read(key, parse).unwrap_or(fallback)
    }

    /// Reads a key's value or its default; nothing, after a note, if there is a problem with it.
    fn try_read<T>(
        &self,
        key: &'static str,
        parse: impl Fn(&Node, Kind) -> Result<T, Refusal>,
    ) -> Option<T> {
        let declared = self.declared(key)?;
        if let Some(entry) = self.entry(key) {
            let refuse = |refusal| self.refuse_value(declared, entry, refusal);
            return parse(&entry.node, declared.kind).map_err(refuse).ok();
        }
        if declared.required {
            let section = self.section.name();
            let problem = Problem::at(self.span.clone(), format!("{section} needs `{key}`"));
            self.add(problem.label("it is missing here").help(declared.doc));
        }
        let default =
            Node::parse(&format!("{key} = {}", declared.default?), 0, &Problems::default());
        parse(&default.entry(key)?.node, declared.kind).ok()
    }

    fn refuse_value(&self, declared: &Key, entry: &Entry, refusal: Refusal) {
        let span = refusal.span.unwrap_or_else(|| entry.node.span.clone());
        let (kind, unit, _) = declared.kind.describe();
        let unit = if unit.is_empty() { String::new() } else { format!(" in {unit}") };
        let label = format!("`{}` is a {kind}{unit}", declared.name).replace("a `[", "`[");
        let problem = Problem::at(span, refusal.message).label(label);
        self.add(match refusal.help {
            Some(help) => problem.help(help),
            None => problem,
        });
    }

    fn refuse_unknown(&self, entry: &Entry) {
        let keys = || self.section.keys.iter().map(|key| key.name);
        if keys().any(|known| known == entry.key) {
            return;
        }
        let section = self.section.name();
        let message = format!("{section} has no key `{}`", entry.key);
        let all = keys().collect::<Vec<_>>().join(", ");
        let help = match nearest(&entry.key, keys()) {
            Some(nearest) => format!("did you mean `{nearest}`? keys here: {all}"),
            None => format!("keys here: {all}"),
        };
        self.add(Problem::at(entry.key_span.clone(), message).label("unknown key").help(help));
    }
}

/// Why a value was not taken.
struct Refusal {
    message: String,
    help: Option<String>,
    /// Where in the value, if not the whole of it.
    span: Option<Span>,
}

impl<T: Into<String>> From<T> for Refusal {
    fn from(message: T) -> Self {
        Self { message: message.into(), help: None, span: None }
    }
}

impl Refusal {
    fn at(mut self, node: &Node) -> Self {
        self.span.get_or_insert_with(|| node.span.clone());
        self
    }
}

fn number(node: &Node, kind: Kind) -> Result<f64, Refusal> {
    let value = plain_number(node)?;
    let (Kind::Number(unit, bounds) | Kind::Pair(unit, bounds)) = kind else { return Ok(value) };
    if bounds.allow(value) {
        Ok(value)
    } else {
        let unit = if unit.is_empty() { String::new() } else { format!(" {unit}") };
        Err(format!("{value}{unit} is out of range: it must be {}", bounds.describe()).into())
    }
}

fn plain_number(node: &Node) -> Result<f64, Refusal> {
    match node.value {
        Value::Float(value) if value.is_finite() => Ok(value),
        Value::Float(value) => Err(format!("{value} is not a finite number").into()),
        Value::Integer(value) => Ok(value as f64),
        _ => Err(format!("a number is needed, not {}", node.kind()).into()),
    }
}

fn count(node: &Node, min: u32, max: u32) -> Result<u32, Refusal> {
    let Value::Integer(value) = node.value else {
        return Err(format!("a whole number is needed, not {}", node.kind()).into());
    };
    let range = match max {
        u32::MAX if value < i64::from(min) => format!("at least {min}"),
        _ => format!("from {min} to {max}"),
    };
    u32::try_from(value)
        .ok()
        .filter(|value| (min..=max).contains(value))
        .ok_or_else(|| format!("{value} is out of range: it must be {range}").into())
}

fn vector(node: &Node) -> Result<DVec3, Refusal> {
    items(node, plain_number).map(DVec3::from_array)
}

fn checked_vector(node: &Node, kind: Kind) -> Result<DVec3, Refusal> {
    let vector = vector(node)?;
    match kind {
        Kind::Direction if vector.length() == 0.0 || !vector.length().is_finite() => {
            Err("this direction is zero, or too large, and points nowhere".into())
        }
        _ => Ok(vector),
    }
}

fn items<T: Copy + Default, const N: usize>(
    node: &Node,
    read: impl Fn(&Node) -> Result<T, Refusal>,
) -> Result<[T; N], Refusal> {
    let Value::List(items) = &node.value else {
        return Err(format!("a list of {N} values is needed, not {}", node.kind()).into());
    };
    if items.len() != N {
        return Err(format!("{N} values are needed, not {}", items.len()).into());
    }
    let mut values = [T::default(); N];
    for (value, item) in values.iter_mut().zip(items) {
        *value = read(item).map_err(|refusal| refusal.at(item))?;
    }
    Ok(values)
}

fn colour(node: &Node) -> Result<u32, Refusal> {
    let word = text(node)?;
    let digits = word.strip_prefix('#').unwrap_or(&word);
    let six = digits.len() == 6 && digits.bytes().all(|digit| digit.is_ascii_hexdigit());
    u32::from_str_radix(digits, 16).ok().filter(|_| six).ok_or_else(|| Refusal {
        help: Some("six hexadecimal digits: \"b45248\"".into()),
        ..format!("`{word}` is no colour").into()
    })
}

fn text(node: &Node) -> Result<String, Refusal> {
    match &node.value {
        Value::Text(text) => Ok(text.clone()),
        _ => Err(Refusal {
            help: Some("put it in double quotes".into()),
            ..format!("text is needed, not {}", node.kind()).into()
        }),
    }
}

/// The most similar of some words, if any is a slip or two away.
pub fn nearest<'w>(word: &str, known: impl Iterator<Item = &'w str>) -> Option<&'w str> {
    let slips = word.chars().count().div_ceil(3);
    known
        .map(|candidate| (strsim::osa_distance(word, candidate), candidate))
        .filter(|(distance, _)| *distance <= slips)
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, candidate)| candidate)
}
