//! The scene's text as it is kept with its frames: it gives the same scene without overrides, from
//! whatever folder it is run.

use std::cmp::Reverse;
use std::path::Path;

use super::SceneText;
use crate::text::{Entry, Node, Override, Problem, Problems, Value};

/// The keys that name files, which may be given relative to the scene's folder.
const FILES: [&[&str]; 2] = [&["cloth", "mesh", "file"], &["render", "texture", "file"]];

/// The text to keep: as written, comments included, if there are no overrides. What cannot be
/// kept is a problem.
pub fn text(scene: SceneText, overrides: &[Override], root: &Node, problems: &Problems) -> String {
    let refuse = |node: &Node, message: String| {
        problems.add(Problem::at(node.span.clone(), message));
        String::new()
    };
    let mut moved = Vec::new();
    for (keys, node) in FILES.iter().filter_map(|keys| Some((*keys, find(root, keys)?))) {
        match absolute(node, scene.base) {
            Err(why) => return refuse(node, why),
            Ok(None) => {}
            Ok(Some(path)) => moved.push((keys, node, path)),
        }
    }
    if overrides.is_empty() {
        // From the last to the first, so that places stay where they are.
        moved.sort_by_key(|(_, node, _)| Reverse(node.span.range.start));
        return moved.iter().fold(scene.text.into(), |text: String, (_, node, path)| {
            replaced(&text, node, path)
                .unwrap_or_else(|| refuse(node, "the file's place in the text is lost".into()))
        });
    }
    let mut tree = root.clone();
    for (keys, _, path) in moved {
        if let Some(node) = find_mut(&mut tree, keys) {
            node.value = Value::Text(path);
        }
    }
    // An override may have lines; a comment is one.
    let typed = |o: &Override| format!("# --set {}\n", o.0.replace(char::is_control, " "));
    let typed: String = overrides.iter().map(typed).collect();
    match toml::to_string(&tree.to_toml()) {
        Ok(text) => {
            format!("# Written by Taffeta: a scene with these overrides applied.\n{typed}\n{text}")
        }
        Err(error) => refuse(root, format!("the scene cannot be kept with its frames: {error}")),
    }
}

/// The text with the value of one node, which was written in it, replaced.
fn replaced(text: &str, node: &Node, value: &str) -> Option<String> {
    let (before, after) = (text.get(..node.span.range.start)?, text.get(node.span.range.end..)?);
    Some(format!("{before}{}{after}", toml::Value::String(value.into())))
}

/// The absolute path of a file named by a node; none if it is that already.
fn absolute(node: &Node, base: &Path) -> Result<Option<String>, String> {
    let Value::Text(name) = &node.value else { return Ok(None) };
    if Path::new(name).is_absolute() {
        return Ok(None);
    }
    let refuse = |why: &str| format!("this file cannot be found again from elsewhere: {why}");
    let path = std::path::absolute(base.join(name)).map_err(|error| refuse(&error.to_string()))?;
    path.to_str().map(|path| Some(path.into())).ok_or_else(|| refuse("its path is not Unicode"))
}

fn find<'n>(root: &'n Node, keys: &[&str]) -> Option<&'n Node> {
    keys.iter().try_fold(root, |node, key| Some(&node.entry(key)?.node))
}

fn find_mut<'n>(root: &'n mut Node, keys: &[&str]) -> Option<&'n mut Node> {
    keys.iter().try_fold(root, |node, key| match &mut node.value {
        Value::Table(entries) => {
            entries.iter_mut().find(|Entry { key: found, .. }| found == key).map(|e| &mut e.node)
        }
        _ => None,
    })
}

#[cfg(test)]
mod tests {
    use super::super::SceneFile;
    use super::*;

    const SCENE: &str = "# A shirt.\n[cloth.mesh]\nfile = 'my \"shirt\".obj' # the good one\n";

    fn kept(text: &str, overrides: &[&str]) -> String {
        let overrides: Vec<Override> = overrides.iter().map(|o| Override((*o).into())).collect();
        let base = Path::new("wardrobe");
        let scene = SceneText { origin: "t.toml", name: "t", base, text };
        SceneFile::read(scene, &overrides).unwrap().effective
    }

    fn mesh_of(text: &str) -> String {
        let root = Node::parse(text, 0, &Problems::default());
        match &find(&root, FILES[0]).unwrap().value {
            Value::Text(file) => file.clone(),
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn the_mesh_is_found_from_anywhere_and_comments_stay() {
        let expected = std::path::absolute("wardrobe/my \"shirt\".obj").unwrap();
        let plain = kept(SCENE, &[]);
        assert!(plain.starts_with("# A shirt.\n[cloth.mesh]\nfile = "), "{plain}");
        assert!(plain.ends_with(" # the good one\n"), "{plain}");
        for text in [plain, kept(SCENE, &["seed=3"])] {
            assert_eq!(Path::new(&mesh_of(&text)), expected, "{text}");
            // Once absolute, it stays as it is.
            assert_eq!(kept(&text, &[]), text);
        }
        let other = kept(SCENE, &["cloth.mesh.file=coat.obj"]);
        assert_eq!(Path::new(&mesh_of(&other)), std::path::absolute("wardrobe/coat.obj").unwrap());
    }

    #[test]
    fn a_texture_is_found_from_anywhere_too() {
        let text = format!("render.texture.file = 'logo.png' # ours\n{SCENE}");
        let path = |name: &str| std::path::absolute(Path::new("wardrobe").join(name)).unwrap();
        for kept in [kept(&text, &[]), kept(&text, &["seed=3"])] {
            for name in ["logo.png", "my \"shirt\".obj"] {
                let written = toml::Value::String(path(name).to_str().unwrap().into()).to_string();
                assert!(kept.contains(&written), "{written} is not in {kept}");
            }
        }
        assert!(kept(&text, &[]).contains(" # ours\n"));
    }

    #[test]
    fn what_is_kept_is_a_scene_whatever_was_typed() {
        let sheet = "[cloth.sheet]\nsize = [1, 1]\nparticles = [3, 3]\n";
        let text = kept(sheet, &["name=\"\"\"two\nlines\"\"\""]);
        assert_eq!(kept(&text, &[]), text);
    }

    #[test]
    fn a_scene_without_a_mesh_is_kept_as_written() {
        let text = "# mine\n[cloth.sheet]\nsize = [1, 1] # m\nparticles = [3, 3]\n";
        assert_eq!(kept(text, &[]), text);
    }
}
