//! A tree of values with the places they were written at.

use std::ops::Range;

use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::brackets::unclosed;
use super::{Problem, Problems};

/// A place in one of the sources of a scene.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Span {
    /// Which source: 0 is the scene file, the others are overrides.
    pub source: usize,
    /// The bytes of that source.
    pub range: Range<usize>,
}

/// A value and where it was written.
#[derive(Clone, Debug, PartialEq)]
pub struct Node {
    /// What it is.
    pub value: Value,
    /// Where it was written.
    pub span: Span,
}

/// A value of a scene.
#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    /// Text.
    Text(String),
    /// A whole number.
    Integer(i64),
    /// A number.
    Float(f64),
    /// True or false.
    Boolean(bool),
    /// A date or time; no key takes one.
    Date(String),
    /// A list.
    List(Vec<Node>),
    /// A table.
    Table(Vec<Entry>),
}

/// A key of a table and its value.
#[derive(Clone, Debug, PartialEq)]
pub struct Entry {
    /// The key.
    pub key: String,
    /// Where the key was written.
    pub key_span: Span,
    /// Its value.
    pub node: Node,
}

impl Node {
    /// Parses a whole document; syntax errors go to `problems`, all of them.
    pub fn parse(text: &str, source: usize, problems: &Problems) -> Self {
        let (table, errors) = DeTable::parse_recoverable(text);
        let open = if errors.is_empty() { None } else { unclosed(text) };
        for error in errors {
            let range = error.span().unwrap_or(0..0);
            // What comes after an open bracket is read as a part of it.
            if open.is_none_or(|open| range.start < open) {
                problems.add(Problem::at(Span { source, range }, error.message()));
            }
        }
        if let Some(open) = open {
            let span = Span { source, range: open..open + 1 };
            let problem = Problem::at(span, "this bracket is never closed");
            let help = "close it where its values end; what follows it was not looked at";
            problems.add(problem.label("opened here").help(help));
        }
        let span = Span { source, range: table.span() };
        Self { value: Value::Table(entries(table.get_ref(), source, problems)), span }
    }

    /// What kind of value it is, for people.
    pub fn kind(&self) -> &'static str {
        match self.value {
            Value::Text(_) => "text",
            Value::Integer(_) => "a whole number",
            Value::Float(_) => "a number with a fraction",
            Value::Boolean(_) => "true or false",
            Value::Date(_) => "a date",
            Value::List(_) => "a list",
            Value::Table(_) => "a table",
        }
    }

    /// The entry of a key, if this is a table that has it.
    pub fn entry(&self, key: &str) -> Option<&Entry> {
        match &self.value {
            Value::Table(entries) => entries.iter().find(|entry| entry.key == key),
            _ => None,
        }
    }

    /// The same value without its places, as TOML writes it.
    pub fn to_toml(&self) -> toml::Value {
        match &self.value {
            Value::Text(text) | Value::Date(text) => toml::Value::String(text.clone()),
            Value::Integer(value) => toml::Value::Integer(*value),
            Value::Float(value) => toml::Value::Float(*value),
            Value::Boolean(value) => toml::Value::Boolean(*value),
            Value::List(items) => toml::Value::Array(items.iter().map(Self::to_toml).collect()),
            Value::Table(entries) => toml::Value::Table(
                entries.iter().map(|entry| (entry.key.clone(), entry.node.to_toml())).collect(),
            ),
        }
    }
}

fn entries(table: &DeTable, source: usize, problems: &Problems) -> Vec<Entry> {
    table
        .iter()
        .map(|(key, value)| Entry {
            key: key.get_ref().to_string(),
            key_span: Span { source, range: key.span() },
            node: node(value, source, problems),
        })
        .collect()
}

fn node(value: &Spanned<DeValue>, source: usize, problems: &Problems) -> Node {
    let span = Span { source, range: value.span() };
    let refuse = |what: &str| {
        problems.add(Problem::at(span.clone(), what));
        Value::Float(f64::NAN)
    };
    let value = match value.get_ref() {
        DeValue::String(text) => Value::Text(text.to_string()),
        DeValue::Integer(integer) => match i64::from_str_radix(integer.as_str(), integer.radix()) {
            Ok(integer) => Value::Integer(integer),
            Err(_) => refuse("this whole number is too large"),
        },
        DeValue::Float(float) => match float.as_str().parse() {
            Ok(float) => Value::Float(float),
            Err(_) => refuse("this is not a number"),
        },
        DeValue::Boolean(value) => Value::Boolean(*value),
        DeValue::Datetime(date) => Value::Date(date.to_string()),
        DeValue::Array(items) => {
            Value::List(items.iter().map(|item| node(item, source, problems)).collect())
        }
        DeValue::Table(table) => Value::Table(entries(table, source, problems)),
    };
    Node { value, span }
}
