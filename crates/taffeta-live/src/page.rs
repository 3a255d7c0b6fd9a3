//! The page: built once from `viewer/`, and part of the program.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

const INDEX: &str = include_str!("../page/index.html");
const SCRIPT: &str = include_str!("../page/app.js");
const STYLE: &str = include_str!("../page/style.css");
const ICON: &str = include_str!("../page/icon.svg");

const STYLE_TAG: &str = r#"<link rel="stylesheet" href="style.css">"#;
const ICON_TAG: &str = r#"<link rel="icon" href="icon.svg">"#;
const SCRIPT_TAG: &str = r#"<script src="app.js" defer></script>"#;
const MODE: &str = r#"data-mode="live""#;

/// The page of a server, for a simulation that runs (`live`) or one that is played (`run`).
pub fn index(mode: &str) -> String {
    INDEX.replace(MODE, &format!(r#"data-mode="{mode}""#))
}

/// A file that the page loads, with its type.
pub fn file(name: &str) -> Option<(&'static str, &'static str)> {
    match name {
        "app.js" => Some(("text/javascript; charset=utf-8", SCRIPT)),
        "style.css" => Some(("text/css; charset=utf-8", STYLE)),
        "icon.svg" => Some(("image/svg+xml", ICON)),
        _ => None,
    }
}

/// One page with all in it: script, style and a run's frames as they were packed.
pub fn single_file(packed: &[u8]) -> String {
    let icon =
        format!(r#"<link rel="icon" href="data:image/svg+xml;base64,{}">"#, STANDARD.encode(ICON));
    let script = SCRIPT.replace("</script", "<\\/script");
    let data = STANDARD.encode(packed);
    index("pack")
        .replace(STYLE_TAG, &format!("<style>{STYLE}</style>"))
        .replace(ICON_TAG, &icon)
        .replace(
            SCRIPT_TAG,
            &format!(
                "<script type=\"application/octet-stream\" id=\"pack\">{data}</script>\n\
                 <script type=\"module\">{script}</script>"
            ),
        )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_page_loads_what_there_is_and_nothing_else() {
        for tag in [STYLE_TAG, ICON_TAG, SCRIPT_TAG, MODE] {
            assert_eq!(INDEX.matches(tag).count(), 1, "{tag}");
        }
        let loads = INDEX.matches("src=\"").count() + INDEX.matches("href=\"").count();
        assert_eq!(loads, 3);
        for text in [INDEX, STYLE] {
            assert!(!text.contains("http:") && !text.contains("https:") && !text.contains("url("));
        }
    }

    #[test]
    fn a_single_file_needs_no_other() {
        let page = single_file(b"frames");
        assert!(!page.contains("src=\"") && !page.contains(STYLE_TAG) && !page.contains(ICON_TAG));
        assert!(page.contains(&STANDARD.encode(b"frames")) && page.contains(r#"data-mode="pack""#));
        assert_eq!(page.matches("</script>").count(), 2);
    }
}
