//! A bracket that is never closed. A parser notices it wherever it gives up, and then again and
//! again; what was meant is one mistake at one place.

/// Where the first bracket of a value is that is still open when the next key or table begins.
pub fn unclosed(text: &str) -> Option<usize> {
    let mut open: Vec<(usize, char)> = Vec::new();
    let mut quotes: Option<&str> = None;
    let mut start = 0;
    for line in text.split_inclusive('\n') {
        if quotes.is_none() {
            if let Some(&(at, _)) = open.last().filter(|_| begins_anew(line, &open)) {
                return Some(at);
            }
            if open.is_empty() && line.trim_start().starts_with('[') {
                // A table's heading: the parser tells well what is wrong with those.
                start += line.len();
                continue;
            }
        }
        scan(line, start, &mut open, &mut quotes);
        start += line.len();
    }
    open.first().map(|(at, _)| *at)
}

/// Follows the brackets and quotes of a line that begins at an offset.
fn scan(line: &str, start: usize, open: &mut Vec<(usize, char)>, quotes: &mut Option<&str>) {
    let mut at = 0;
    while let Some(c) = line[at..].chars().next() {
        let rest = &line[at..];
        if let Some(kind) = *quotes {
            if kind.starts_with('"') && c == '\\' {
                at += 1 + rest[1..].chars().next().map_or(0, char::len_utf8);
            } else if rest.starts_with(kind) {
                at += kind.len();
                *quotes = None;
            } else {
                at += c.len_utf8();
            }
            continue;
        }
        let kinds = ["\"\"\"", "'''", "\"", "'"];
        if let Some(kind) = kinds.into_iter().find(|kind| rest.starts_with(kind)) {
            *quotes = Some(kind);
            at += kind.len();
            continue;
        }
        match c {
            '#' => break,
            '[' | '{' => open.push((start + at, c)),
            ']' | '}' => drop(open.pop()),
            _ => {}
        }
        at += c.len_utf8();
    }
    // Only long quotes go on in the next line.
    *quotes = quotes.filter(|kind| kind.len() == 3);
}

/// Whether a line begins a key or a table, which no list has in it.
fn begins_anew(line: &str, open: &[(usize, char)]) -> bool {
    let line = line.trim();
    let word = |text: &str| {
        let fits = |c: char| c.is_alphanumeric() || "_-. \"'".contains(c);
        text.starts_with(|c: char| c.is_alphabetic() || c == '_') && text.chars().all(fits)
    };
    let within_table = open.iter().any(|(_, bracket)| *bracket == '{');
    if let Some((key, _)) = line.split_once('=') {
        return !within_table && word(key.trim());
    }
    let heading = line.split('#').next().unwrap_or_default().trim();
    let inner = heading.trim_start_matches('[').trim_end_matches(']');
    inner.len() < heading.len()
        && word(inner.trim())
        && heading.starts_with('[')
        && !["true", "false", "inf", "nan"].contains(&inner.trim())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_bracket_that_is_open_is_found_and_no_other() {
        let found = |text: &str| unclosed(text);
        assert_eq!(found("a = [1, 2\nb = [3]\n"), Some(4));
        assert_eq!(found("a = [[1, 2], [3, 4]\n[[pin]]\nedge = \"left\"\n"), Some(4));
        assert_eq!(found("[x]\na = [[1, 2\n[frames]\n"), Some(9));
        assert_eq!(found("a = { b = 1\nc = [1\n"), Some(4));
        for closed in [
            "a = [1,\n  2, # ]\n  3]\nb = \"[\"\n",
            "a = [\n  [1, 2],\n  [3, 4],\n]\n[x]\nb = '''\n[\nc = [\n'''\n",
            "a = [[true], [false]]\nb = \"\\\"[\"\n[[pin]]\n",
            "[cloth.sheet\nsize = [1, 1]\n",
        ] {
            assert_eq!(found(closed), None, "{closed}");
        }
    }
}
