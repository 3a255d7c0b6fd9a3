//! `--set path.to.key=value`: replaces or adds one value of a scene.

use super::{Entry, Node, Problem, Problems, Span, Value};

/// Levels of tables in an override at most; scenes have fewer.
const DEEPEST: usize = 16;

/// One override as the user typed it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Override(pub String);

impl Override {
    /// Puts the value into a scene's tree. `source` is the number the override has among the
    /// scene's sources; the sources hold its text as typed.
    pub fn apply(&self, root: &mut Node, source: usize, problems: &Problems) {
        let typed = &self.0;
        let whole = Span { source, range: 0..typed.len() };
        let Some((path, value)) = typed.split_once('=') else {
            let problem = Problem::at(whole, "an override has the form path.to.key=value");
            return problems.add(problem.help("for example --set fabric.density=0.3"));
        };
        let offset = path.len() + 1;
        let value = self.value(value, offset, source, problems);
        let mut at = 0;
        let mut steps = Vec::new();
        for part in path.split('.') {
            let key = part.trim();
            let start = at + (part.len() - part.trim_start().len());
            steps.push((key, Span { source, range: start..start + key.len() }));
            at += part.len() + 1;
        }
        if steps.len() > DEEPEST {
            let message = format!("no key is {} levels deep", steps.len());
            return problems.add(Problem::at(whole, message));
        }
        insert(root, &steps, value, problems);
    }

    /// Reads the value as TOML; what is no TOML value is taken as text, so that
    /// `--set cloth.mesh.file=shirt.obj` needs no quotes.
    fn value(&self, text: &str, offset: usize, source: usize, problems: &Problems) -> Node {
        let span = Span { source, range: offset..offset + text.len() };
        let prefix = "value = ";
        let trial = Problems::default();
        let parsed = Node::parse(&format!("{prefix}{text}"), source, &trial);
        match parsed.entry("value") {
            Some(entry) if trial.is_empty() => relocate(entry.node.clone(), &span),
            _ if text.trim().is_empty() => {
                problems.add(Problem::at(span.clone(), "the override has no value"));
                Node { value: Value::Text(String::new()), span }
            }
            _ => Node { value: Value::Text(text.trim().into()), span },
        }
    }
}

/// Gives a value and all in it one place: the whole text after the equals sign.
fn relocate(mut node: Node, span: &Span) -> Node {
    node.span = span.clone();
    match &mut node.value {
        Value::List(items) => {
            *items = std::mem::take(items).into_iter().map(|item| relocate(item, span)).collect();
        }
        Value::Table(entries) => {
            for entry in entries {
                entry.key_span = span.clone();
                entry.node = relocate(entry.node.clone(), span);
            }
        }
        _ => {}
    }
    node
}

fn insert(node: &mut Node, steps: &[(&str, Span)], value: Node, problems: &Problems) {
    let [(key, span), rest @ ..] = steps else {
        *node = value;
        return;
    };
    let kind = node.kind();
    match &mut node.value {
        Value::Table(entries) => {
            let at = entries.iter().position(|entry| entry.key == *key).unwrap_or_else(|| {
                let node = Node { value: Value::Table(Vec::new()), span: span.clone() };
                entries.push(Entry { key: (*key).into(), key_span: span.clone(), node });
                entries.len() - 1
            });
            insert(&mut entries[at].node, rest, value, problems);
        }
        Value::List(items) => {
            let len = items.len();
            match key.parse::<usize>().ok().and_then(|index| items.get_mut(index)) {
                Some(item) => insert(item, rest, value, problems),
                None => problems.add(
                    Problem::at(span.clone(), format!("`{key}` is not an item of this list"))
                        .help(format!("the list has {len} items, counted from 0")),
                ),
            }
        }
        _ => problems.add(Problem::at(
            span.clone(),
            format!("there is no `{key}` here: the value before it is {kind}"),
        )),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn apply(scene: &str, typed: &str) -> Result<String, Vec<String>> {
        let problems = Problems::default();
        let mut root = Node::parse(scene, 0, &problems);
        Override(typed.into()).apply(&mut root, 1, &problems);
        if problems.is_empty() {
            Ok(toml::to_string(&root.to_toml()).unwrap())
        } else {
            Err(problems.into_vec().into_iter().map(|problem| problem.message).collect())
        }
    }

    #[test]
    fn values_are_replaced_and_added() {
        assert_eq!(apply("a = 1", "a=2.5").unwrap(), "a = 2.5\n");
        assert_eq!(apply("a = 1", "a=[1, 2]").unwrap(), "a = [1, 2]\n");
        assert_eq!(apply("", "t.file=my shirt.obj").unwrap(), "[t]\nfile = \"my shirt.obj\"\n");
        assert_eq!(apply("[[p]]\nx = 1", "p.0.x=2").unwrap(), "[[p]]\nx = 2\n");
        assert_eq!(apply("", "a=b=c").unwrap(), "a = \"b=c\"\n");
    }

    #[test]
    fn mistakes_are_named() {
        assert!(apply("", "novalue").unwrap_err()[0].contains("path.to.key=value"));
        assert!(apply("", "a=").unwrap_err()[0].contains("no value"));
        assert!(apply("p = [1]", "p.7=2").unwrap_err()[0].contains("not an item"));
        assert!(apply("p = 1", "p.q=2").unwrap_err()[0].contains("a whole number"));
    }
}
