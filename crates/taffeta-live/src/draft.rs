//! The scene as hands have made it: its text as a tree, changed key by key. Whoever reads that text
//! again has the scene that is being simulated.

use std::path::PathBuf;

use taffeta::{Fan, Motion, MotionKey};
use taffeta_scene::{Scene, SceneError, SceneFile, SceneText};
use toml::{Table, Value};

/// How a pin chooses its particles, and what goes with it.
const CHOICES: [&str; 6] = ["particles", "nearest", "box", "edge", "segment", "within"];

/// A scene's text that changes.
#[derive(Clone, Debug, PartialEq)]
pub struct Draft {
    name: String,
    base: PathBuf,
    /// As it was written, until something changes.
    text: Option<String>,
    tree: Table,
}

impl Draft {
    /// Of a scene that was read.
    pub fn of(file: &SceneFile) -> Self {
        let text = file.effective.clone();
        // What was read once can be read again.
        let tree = text.parse().unwrap_or_default();
        Self { name: file.name.clone(), base: file.base.clone(), text: Some(text), tree }
    }

    /// Its text.
    pub fn text(&self) -> String {
        let written = || toml::to_string(&self.tree).unwrap_or_default();
        let note = "# Written by Taffeta: a scene as hands have made it.\n";
        self.text.clone().unwrap_or_else(|| format!("{note}{}", written()))
    }

    /// The scene it is now.
    pub fn resolve(&self, memory: u64) -> Result<Scene, SceneError> {
        Scene::resolve(&self.read()?, memory)
    }

    /// The scene file it is now.
    pub fn read(&self) -> Result<SceneFile, SceneError> {
        let text = self.text();
        let (name, base) = (self.name.as_str(), self.base.as_path());
        SceneFile::read(
            SceneText { origin: "the scene in the browser", name, base, text: &text },
            &[],
        )
    }

    /// The name of its fabric, if it has one.
    pub fn fabric_name(&self) -> Option<String> {
        Some(self.tree.get("fabric")?.get("preset")?.as_str()?.to_owned())
    }

    fn change(&mut self) -> &mut Table {
        self.text = None;
        &mut self.tree
    }

    /// A table of the scene, made if it is not there. Nothing else has its name: the scene was read.
    fn in_table(&mut self, name: &str, change: impl FnOnce(&mut Table)) {
        let entry = self.change().entry(name).or_insert_with(|| Table::new().into());
        if let Value::Table(table) = entry {
            change(table);
        }
    }

    /// The same of a list of tables.
    fn in_list(&mut self, name: &str, change: impl FnOnce(&mut Vec<Value>)) {
        let entry = self.change().entry(name).or_insert_with(|| Vec::<Value>::new().into());
        if let Value::Array(list) = entry {
            change(list);
        }
    }

    pub fn gravity(&mut self, value: [f64; 3]) {
        self.change().insert("gravity".into(), vector(value));
    }

    pub fn wind(&mut self, value: [f64; 3]) {
        self.in_table("air", |air| drop(air.insert("wind".into(), vector(value))));
    }

    pub fn fan(&mut self, fan: Option<&Fan>) {
        self.in_table("air", |air| {
            air.remove("fan");
            if let Some(fan) = fan {
                let mut table = Table::new();
                table.insert("position".into(), vector(fan.place.to_array()));
                table.insert("direction".into(), vector(fan.direction.to_array()));
                table.insert("speed".into(), fan.speed.into());
                table.insert("radius".into(), fan.radius.into());
                air.insert("fan".into(), table.into());
            }
        });
    }

    pub fn limit(&mut self, value: f64) {
        self.in_table("limits", |limits| drop(limits.insert("extension".into(), value.into())));
    }

    pub fn friction(&mut self, value: f64) {
        let rub = |table: &mut Table| drop(table.insert("friction".into(), value.into()));
        if self.tree.contains_key("solid") {
            self.in_list("solid", |solids| {
                solids.iter_mut().filter_map(Value::as_table_mut).for_each(rub);
            });
        }
        if self.tree.contains_key("contact") {
            self.in_table("contact", rub);
        }
    }

    /// Another fabric; the yarns of cloth that tears stay as thick as they are.
    pub fn fabric(&mut self, name: &str) {
        let woven = self.tree.contains_key("tear");
        self.in_table("fabric", |fabric| {
            let thickness = fabric.get("thickness").cloned().filter(|_| woven);
            fabric.clear();
            fabric.insert("preset".into(), name.into());
            if let Some(thickness) = thickness {
                fabric.insert("thickness".into(), thickness);
            }
        });
    }

    /// Pins a particle from a time on.
    pub fn pin(&mut self, particle: u32, from: f64) {
        let mut pin = Table::new();
        pin.insert("particles".into(), numbers(&[particle]));
        pin.insert("from".into(), from.into());
        self.in_list("pin", |pins| pins.push(pin.into()));
    }

    /// Leaves these particles of a pin, by number; without any, the pin goes.
    pub fn keep_of_pin(&mut self, pin: usize, particles: &[u32]) {
        self.in_list("pin", |pins| {
            if particles.is_empty() && pin < pins.len() {
                pins.remove(pin);
            } else if let Some(Value::Table(pin)) = pins.get_mut(pin) {
                CHOICES.iter().for_each(|choice| drop(pin.remove(*choice)));
                pin.insert("particles".into(), numbers(particles));
            }
        });
    }

    /// Puts a ball in the place of another solid, or after the last; tells where.
    pub fn ball(&mut self, at: Option<usize>, radius: f64, thickness: f64, way: &Motion) -> usize {
        let mut sphere = Table::new();
        sphere.insert("radius".into(), radius.into());
        let mut ball = Table::new();
        ball.insert("sphere".into(), sphere.into());
        ball.insert("thickness".into(), thickness.into());
        ball.insert("key".into(), keys(way));
        let mut place = 0;
        self.in_list("solid", |solids| {
            place = at.filter(|at| *at < solids.len()).unwrap_or(solids.len());
            match solids.get_mut(place) {
                Some(solid) => *solid = ball.into(),
                None => solids.push(ball.into()),
            }
        });
        place
    }

    /// Lets a solid go another way.
    pub fn solid_way(&mut self, solid: usize, way: &Motion) {
        self.in_list("solid", |solids| {
            if let Some(Value::Table(solid)) = solids.get_mut(solid) {
                solid.insert("ease".into(), "linear".into());
                solid.insert("key".into(), keys(way));
            }
        });
    }
}

fn numbers(particles: &[u32]) -> Value {
    particles.iter().map(|&particle| Value::from(i64::from(particle))).collect::<Vec<_>>().into()
}

fn vector(value: [f64; 3]) -> Value {
    value.map(Value::from).to_vec().into()
}

fn keys(way: &Motion) -> Value {
    let key = |key: &MotionKey| {
        let mut table = Table::new();
        table.insert("time".into(), key.time.into());
        table.insert("move".into(), vector(key.offset.to_array()));
        table.insert("turn".into(), key.angle.to_degrees().into());
        table.insert("scale".into(), key.scale.into());
        Value::from(table)
    };
    way.keys.iter().map(key).collect::<Vec<_>>().into()
}
