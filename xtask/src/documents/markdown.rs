//! Just enough Markdown: the words set as code, and the targets of links.

/// Something found in a document, with its line (from 1).
#[derive(Debug, PartialEq, Eq)]
pub struct Found<'a> {
    pub line: usize,
    pub text: &'a str,
}

/// Every word inside back-ticks or a fenced block.
pub fn code_words(text: &str) -> Vec<Found<'_>> {
    let mut found = Vec::new();
    for (line, fenced, content) in lines(text) {
        let spans =
            if fenced { vec![content] } else { content.split('`').skip(1).step_by(2).collect() };
        let words = spans.into_iter().flat_map(str::split_whitespace);
        found.extend(words.map(|text| Found { line, text }));
    }
    found
}

/// Every target of a link, a picture or a reference, outside code.
pub fn link_targets(text: &str) -> Vec<Found<'_>> {
    let mut found = Vec::new();
    for (line, _, content) in lines(text).filter(|(_, fenced, _)| !fenced) {
        let prose = content.split('`').step_by(2);
        let inline = prose.flat_map(|part| part.split("](").skip(1)).map(|rest| before(rest, ')'));
        let reference = content.trim_start().strip_prefix('[').and_then(|r| r.split_once("]:"));
        let targets = inline.chain(reference.map(|(_, target)| target));
        found.extend(targets.filter_map(target_alone).map(|text| Found { line, text }));
    }
    found
}

/// The lines with their number, whether they stand in a fenced block, and their text.
fn lines(text: &str) -> impl Iterator<Item = (usize, bool, &str)> {
    let mut fenced = false;
    text.lines().enumerate().filter_map(move |(index, line)| {
        let fence = line.trim_start().starts_with("```");
        fenced ^= fence;
        (!fence).then_some((index + 1, fenced, line))
    })
}

/// The target without a title, angle brackets or place in the page; none where nothing is left.
fn target_alone(target: &str) -> Option<&str> {
    let address = target.split_whitespace().next()?.trim_matches(['<', '>']);
    Some(before(address, '#')).filter(|path| !path.is_empty())
}

fn before(text: &str, mark: char) -> &str {
    text.split(mark).next().unwrap_or(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(found: Vec<Found<'_>>) -> Vec<&str> {
        found.into_iter().map(|found| found.text).collect()
    }

    #[test]
    fn words_come_from_back_ticks_and_fences_only() {
        let text = "plain `a b` plain `c`\n```sh\nd e\n```\nplain `f`";
        assert_eq!(texts(code_words(text)), ["a", "b", "c", "d", "e", "f"]);
        assert_eq!(code_words(text)[3].line, 3);
    }

    #[test]
    fn links_lose_titles_brackets_and_places() {
        let text = "[a](x.md) ![b](<y.png> \"title\") [`c`](z.md#part) [d](#here)\n[e]: w.md";
        assert_eq!(texts(link_targets(text)), ["x.md", "y.png", "z.md", "w.md"]);
        assert_eq!(link_targets(text)[3].line, 2);
    }

    #[test]
    fn links_in_code_are_no_links() {
        assert!(link_targets("`a[i](x)`\n```\n[a](b)\n```").is_empty());
    }
}
