//! The files that a scene's frames come from, for whoever carries it to another machine.

use std::path::PathBuf;

use taffeta_io::import;

use super::{GarmentCut, GarmentFile, SceneFile, Sequence, Shape, SolidShape};

impl SceneFile {
    /// Every file that bears on the frames, and those that such a file names: meshes, the meshes of
    /// sequences up to the first that is missing, motions, the map of a cloth that tears.
    pub fn files(&self) -> Vec<PathBuf> {
        let mut named = Vec::new();
        for cloth in &self.cloths {
            if let Shape::Mesh(mesh) = &cloth.shape {
                named.push(self.base.join(&mesh.file));
            }
        }
        if let Shape::Garment(GarmentFile {
            cut: GarmentCut::File(file) | GarmentCut::Drawing(file, ..),
            ..
        }) = &self.first_cloth().shape
        {
            named.push(self.base.join(file));
        }
        for solid in &self.solids {
            match &solid.shape {
                SolidShape::Simple(_) | SolidShape::Mannequin(..) => {}
                SolidShape::Mesh { file, .. } => named.push(self.base.join(file)),
                SolidShape::Character(body) => {
                    let motion = body.retarget.as_ref().map(|retarget| &retarget.motion);
                    let all = std::iter::once(&body.file).chain(motion);
                    named.extend(all.map(|file| self.base.join(file)));
                }
                SolidShape::Sequence(sequence) => named.extend(self.moments(sequence)),
            }
        }
        let map = self.tear.as_ref().and_then(|tear| tear.map.as_ref());
        named.extend(map.map(|map| self.base.join(&map.file)));
        let beside: Vec<PathBuf> =
            named.iter().flat_map(|path| import::files_named_in(path)).collect();
        named.extend(beside);
        named.sort();
        named.dedup();
        named
    }

    fn moments<'a>(&'a self, sequence: &'a Sequence) -> impl Iterator<Item = PathBuf> + 'a {
        let [first, last] = sequence.numbers;
        (first..=last)
            .map(|number| self.base.join(sequence.file(number).0))
            .take_while(|path| path.is_file())
    }
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::path::Path;

    use super::super::SceneText;
    use super::*;

    #[test]
    fn every_file_that_bears_on_the_frames_is_named() {
        let folder = tempfile::tempdir().unwrap();
        let gltf = r#"{"asset": {"version": "2.0"}, "buffers": [
            {"byteLength": 4, "uri": "my%20body.bin"}, {"byteLength": 1, "uri": "data:;base64,AA=="}]}"#;
        for (name, content) in
            [("walk-1.ply", ""), ("walk-2.ply", ""), ("walk-4.ply", ""), ("body.gltf", gltf)]
        {
            fs::write(folder.path().join(name), content).unwrap();
        }
        let text = "cloth.mesh.file = '../shirt.obj'\n[[solid]]\nmesh.file = 'body.gltf'\n\
                    [[solid]]\nsequence = { file = 'walk-#.ply', last = 9 }\n[[solid]]\n\
                    sphere.radius = 1\n[render.texture]\nfile = 'logo.png'\n";
        let scene = SceneText { origin: "t", name: "t", base: folder.path(), text };
        let files = SceneFile::read(scene, &[]).unwrap().files();
        let names: Vec<_> =
            files.iter().map(|path| path.strip_prefix(folder.path()).unwrap()).collect();
        let wanted =
            ["../shirt.obj", "body.gltf", "my body.bin", "walk-1.ply", "walk-2.ply"].map(Path::new);
        assert_eq!(names, wanted);
    }
}
