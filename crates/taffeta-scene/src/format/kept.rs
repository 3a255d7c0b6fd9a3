//! The scene's text as it is kept with its frames: it gives the same scene without overrides, from
//! whatever folder it is run.

use std::cmp::Reverse;
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
    let mut tree = root.clone();
    let mut moved = Vec::new();
    for node in named_files(&mut tree) {
        match absolute(node, scene.base) {
            Err(why) => return refuse(node, why),
            Ok(Some(path)) => {
                moved.push((node.clone(), path.clone()));
                node.value = Value::Text(path);
            }
            Ok(None) => {}
        }
    }
    if overrides.is_empty() {
        // From the last to the first, so that places in the text stay what they were.
        moved.sort_by_key(|(node, _)| Reverse(node.span.range.start));
        let mut text = scene.text.to_string();
        for (node, path) in &moved {
            match replaced(&text, node, path) {
                Some(new) => text = new,
                None => return refuse(node, "the file's place in the text is lost".into()),
            }
        }
        return text;
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

/// Every node that names a file.
fn named_files(root: &mut Node) -> Vec<&mut Node> {
    let mut found = Vec::new();
    let Value::Table(entries) = &mut root.value else { return found };
    for Entry { key, node, .. } in entries {
        if let ("cloth", Value::List(_)) = (key.as_str(), &node.value) {
            let Value::List(cloths) = &mut node.value else { continue };
            found.extend(cloths.iter_mut().flat_map(files_of_cloth));
        } else if key == "cloth" {
            found.extend(files_of_cloth(node));
        } else if key == "render" {
            found.extend(entry(node, "texture").and_then(|texture| entry(texture, "file")));
        } else if key == "tear" {
            found.extend(entry(node, "map").and_then(|map| entry(map, "file")));
        } else if let ("solid", Value::List(solids)) = (key.as_str(), &mut node.value) {
            for solid in solids {
                let Value::Table(parts) = &mut solid.value else { continue };
                let files = ["mesh", "sequence", "character"];
                let parts = parts.iter_mut().filter(|part| files.contains(&part.key.as_str()));
                found.extend(parts.filter_map(|part| entry(&mut part.node, "file")));
            }
        }
    }
    found
}

/// The nodes of a cloth that name files.
fn files_of_cloth(cloth: &mut Node) -> Vec<&mut Node> {
    let Value::Table(entries) = &mut cloth.value else { return Vec::new() };
    let shapes = entries.iter_mut().filter(|shape| ["mesh", "garment"].contains(&&*shape.key));
    shapes.filter_map(|shape| entry(&mut shape.node, "file")).collect()
}

fn entry<'n>(node: &'n mut Node, key: &str) -> Option<&'n mut Node> {
    let Value::Table(entries) = &mut node.value else { return None };
    entries.iter_mut().find(|entry| entry.key == key).map(|entry| &mut entry.node)
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
        let mut root = Node::parse(text, 0, &Problems::default());
        match &named_files(&mut root)[0].value {
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
    fn the_meshes_of_solids_are_found_too() {
        let solids = "[[solid]]\n[solid.mesh]\nfile = \"body.obj\"\n[[solid]]\n[solid.box]\n\
                      size = [1, 1, 1]\n[[solid]]\n[solid.sequence]\nfile = \"walk-##.ply\" # all\n\
                      last = 9\n";
        let scene = format!("{SCENE}{solids}");
        for text in [kept(&scene, &[]), kept(&scene, &["seed=3"])] {
            let mut root = Node::parse(&text, 0, &Problems::default());
            let files: Vec<String> = named_files(&mut root)
                .iter()
                .map(|node| match &node.value {
                    Value::Text(file) => file.clone(),
                    other => panic!("{other:?}"),
                })
                .collect();
            let names = ["my \"shirt\".obj", "body.obj", "walk-##.ply"];
            let base = Path::new("wardrobe");
            for (file, name) in files.iter().zip(names) {
                assert_eq!(Path::new(file), std::path::absolute(base.join(name)).unwrap());
            }
            assert_eq!(files.len(), 3);
            assert_eq!(kept(&text, &[]), text);
        }
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
