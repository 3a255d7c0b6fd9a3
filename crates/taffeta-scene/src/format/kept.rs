//! The scene's text as it is kept with its frames: it gives the same scene without overrides, from
//! whatever folder it is run.

use std::path::Path;

use super::SceneText;
use crate::text::{Entry, Node, Override, Problem, Problems, Value};

/// The text to keep: as written, comments included, if there are no overrides. What cannot be
/// kept is a problem.
pub fn text(scene: SceneText, overrides: &[Override], root: &Node, problems: &Problems) -> String {
    let refuse = |node: &Node, message: String| {
        problems.add(Problem::at(node.span.clone(), message));
        String::new()
    };
    let moved = match mesh_file(root).map(|node| (node, absolute(node, scene.base))) {
        Some((node, Err(why))) => return refuse(node, why),
        Some((node, Ok(Some(path)))) => Some((node, path)),
        _ => None,
    };
    if overrides.is_empty() {
        return match moved {
            Some((node, path)) => replaced(scene.text, node, &path)
                .unwrap_or_else(|| refuse(node, "the mesh's place in the text is lost".into())),
            None => scene.text.into(),
        };
    }
    let mut tree = root.clone();
    if let (Some(node), Some((_, path))) = (mesh_file_mut(&mut tree), moved) {
        node.value = Value::Text(path);
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
    let refuse = |why: &str| format!("the mesh cannot be found again from elsewhere: {why}");
    let path = std::path::absolute(base.join(name)).map_err(|error| refuse(&error.to_string()))?;
    path.to_str().map(|path| Some(path.into())).ok_or_else(|| refuse("its path is not Unicode"))
}

const MESH_FILE: [&str; 3] = ["cloth", "mesh", "file"];

fn mesh_file(root: &Node) -> Option<&Node> {
    MESH_FILE.iter().try_fold(root, |node, key| Some(&node.entry(key)?.node))
}

fn mesh_file_mut(root: &mut Node) -> Option<&mut Node> {
    MESH_FILE.iter().try_fold(root, |node, key| match &mut node.value {
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
        match &mesh_file(&root).unwrap().value {
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
