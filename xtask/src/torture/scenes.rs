//! Random scenes over all features.

use std::f64::consts::TAU;
use std::fmt::Write;

use serde::Serialize;

use super::chance::Chance;

/// A scene, and what another program needs to know to check it.
pub struct Scene {
    pub text: String,
    pub known: Known,
}

/// What is known of a scene beforehand.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Known {
    /// Balls that rest: centre and radius \[m\].
    pub balls: Vec<[f64; 4]>,
    /// Whether cloth keeps off itself.
    pub contact: bool,
    /// The most extension, if it is limited.
    pub limit: Option<f64>,
    /// The same of the edges along rows and columns, where they are what is limited.
    pub extension: Option<f64>,
    /// Columns, rows and rest lengths along them \[m\], of sheets of quads.
    pub sheet: Option<(u32, u32, f64, f64)>,
}

/// Scene by scene, the same for the same seed.
pub fn scene(seed: u64, number: u64) -> Scene {
    let mut making = Making {
        chance: Chance::of_scene(seed, number),
        text: String::new(),
        known: Known::default(),
    };
    making.all(number);
    Scene { text: making.text, known: making.known }
}

/// What the shape of the cloth decides about the rest.
#[derive(Clone, Copy, PartialEq)]
enum Shape {
    Sheet,
    Irregular,
    Tube,
}

struct Making {
    chance: Chance,
    text: String,
    known: Known,
}

impl Making {
    fn say(&mut self, line: &str) {
        self.text.push_str(line);
        self.text.push('\n');
    }

    fn all(&mut self, number: u64) {
        let tears = self.chance.happens(0.15);
        let shape = match tears {
            true => Shape::Sheet,
            false => self.chance.one(&[Shape::Sheet, Shape::Sheet, Shape::Irregular, Shape::Tube]),
        };
        let continuum = !tears && self.chance.happens(0.5);
        let seed = self.chance.whole(0, 1000);
        self.say(&format!("name = \"torture-{number}\"\nseed = {seed}"));
        self.fabric();
        let size = self.cloth(shape, tears);
        self.pins(shape, size);
        self.solids(size);
        self.known.contact = self.chance.happens(0.5);
        if self.known.contact {
            let thickness = self.chance.between(0.0005, 0.003);
            self.say(&format!("[contact]\nself = true\nthickness = {thickness}"));
        }
        if self.chance.happens(0.4) {
            let wind = self.vector(6.0);
            self.say(&format!("[air]\nwind = {wind}"));
        }
        self.say(if continuum { "[model.continuum]" } else { "[model.springs]" });
        if tears {
            self.tear(size);
        }
        self.steps(continuum, tears);
        let (count, rate) = (self.chance.whole(6, 20), self.chance.one(&[24, 30, 60]));
        self.say(&format!("[frames]\nrate = {rate}.0\ncount = {count}"));
        self.checks();
    }

    fn vector(&mut self, most: f64) -> String {
        let one = [0; 3].map(|_| self.chance.between(-most, most));
        format!("{one:?}")
    }

    fn fabric(&mut self) {
        let preset = self.chance.one(&["canvas", "cotton", "denim", "polyester", "silk", "wool"]);
        if self.chance.happens(0.6) {
            return self.say(&format!("[fabric]\npreset = \"{preset}\""));
        }
        let (stretch, shear) = (self.chance.scaled(50.0, 1e4), self.chance.scaled(1.0, 300.0));
        let (bending, density) = (self.chance.scaled(1e-6, 1e-4), self.chance.between(0.05, 0.5));
        self.say(&format!(
            "[fabric]\ndensity = {density}\nstretch = {stretch:.1}\nshear = {shear:.1}\n\
             bending = {bending:.1e}\nstretch_damping = 1e-3"
        ));
    }

    /// The cloth; its extent \[m\].
    fn cloth(&mut self, shape: Shape, tears: bool) -> [f64; 2] {
        let upright = self.chance.happens(0.3) && shape != Shape::Tube;
        let jitter = self.chance.one(&["0.0", "1e-6", "1e-5"]);
        let turn = self.chance.between(-30.0, 30.0);
        let tilt = if upright { 90.0 } else { 0.0 };
        self.say(&format!("[cloth]\nrotation = [{tilt}, {turn}, 0.0]\njitter = {jitter}"));
        let most = if tears { 16 } else { 22 };
        let particles = [self.chance.whole(4, most), self.chance.whole(4, most)];
        let spacing = self.chance.between(0.008, 0.03);
        let size = particles.map(|count| f64::from(count - 1) * spacing);
        let [columns, rows] = particles;
        if shape == Shape::Tube {
            let (around, radius) = (columns + 4, f64::from(columns + 4) * spacing / TAU);
            self.say(&format!(
                "[cloth.tube]\nradius = {radius:.5}\nlength = {:.5}\nparticles = [{around}, {rows}]",
                size[1]
            ));
            return [2.0 * radius, size[1]];
        }
        let [width, depth] = size;
        self.say(&format!(
            "[cloth.sheet]\nsize = [{width:.6}, {depth:.6}]\nparticles = [{columns}, {rows}]"
        ));
        match shape {
            Shape::Irregular => self.say("irregular = true"),
            _ => self.known.sheet = Some((columns, rows, spacing, spacing)),
        }
        size
    }

    fn pins(&mut self, shape: Shape, size: [f64; 2]) {
        let edge = match shape {
            Shape::Tube => self.chance.one(&["top", "bottom"]),
            _ => self.chance.one(&["top", "bottom", "left", "right"]),
        };
        match self.chance.whole(0, 4) {
            0 => return,
            1 => self.say("[[pin]]\nparticles = [0]"),
            2 => self.say(&format!("[[pin]]\nedge = \"{edge}\"")),
            3 => self.say(&format!("[[pin]]\nedge = \"{edge}\"\nslide_line = [1.0, 0.0, 0.0]")),
            _ => {
                let until = self.chance.between(0.1, 0.5);
                self.say(&format!("[[pin]]\nedge = \"{edge}\"\nuntil = {until}"));
            }
        }
        if self.chance.happens(0.5) {
            let (way, turn) = (self.vector(0.5 * size[0]), self.chance.between(-90.0, 90.0));
            self.say("ease = \"smooth\"\naxis = [0.0, 1.0, 0.0]\n[[pin.key]]\ntime = 0.0");
            self.say(&format!("[[pin.key]]\ntime = 0.4\nmove = {way}\nturn = {turn}"));
        }
    }

    fn solids(&mut self, [width, depth]: [f64; 2]) {
        let mut below = 0.5 * depth.max(width) + 0.02;
        for _ in 0..self.chance.whole(0, 2) {
            let radius = self.chance.between(0.15, 0.5) * width.max(0.05);
            let (friction, thickness) =
                (self.chance.between(0.0, 0.8), self.chance.between(0.001, 0.003));
            let (x, z) = (self.chance.between(-0.1, 0.1), self.chance.between(-0.1, 0.1));
            let y = -(below + radius);
            below += 2.0 * radius + 0.02;
            self.say(&format!(
                "[[solid]]\nposition = [{x}, {y:.6}, {z}]\nfriction = {friction}\n\
                 thickness = {thickness}"
            ));
            let moves = self.chance.happens(0.4);
            let shape = self.chance.whole(0, 4);
            // A plane has no end, and cannot be made of triangles.
            let faceted = shape < 4 && self.chance.happens(0.3);
            if faceted {
                self.say("faceted = true");
            }
            if moves {
                let (way, turn) = (self.vector(0.15), self.chance.between(-120.0, 120.0));
                self.say("ease = \"smooth\"\n[[solid.key]]\ntime = 0.0");
                self.say(&format!("[[solid.key]]\ntime = 0.5\nmove = {way}\nturn = {turn}"));
            }
            match shape {
                0 => {
                    self.say(&format!("[solid.sphere]\nradius = {radius:.6}"));
                    if !moves && !faceted {
                        self.known.balls.push([x, y, z, radius]);
                    }
                }
                1 => self.say(&format!(
                    "[solid.capsule]\nradius = {:.6}\nlength = {radius:.6}",
                    0.5 * radius
                )),
                2 => self
                    .say(&format!("[solid.cylinder]\nradius = {radius:.6}\nlength = {radius:.6}")),
                3 => self
                    .say(&format!("[solid.box]\nsize = [{radius:.6}, {radius:.6}, {radius:.6}]")),
                _ => self.say("[solid.plane]"),
            }
        }
    }

    fn tear(&mut self, [width, depth]: [f64; 2]) {
        let weave = self.chance.one(&["plain", "twill-2-2", "satin-5"]);
        let least = self.chance.scaled(0.05, 2.0);
        self.say(&format!("[weave]\nkind = \"{weave}\""));
        self.say(&format!("[tear]\nstrength = [{least:.3}, {:.3}]", 1.5 * least));
        if self.chance.happens(0.5) {
            let (from, to) = (0.43 * width, 0.57 * depth);
            let time = self.chance.between(0.0, 0.2);
            self.say(&format!(
                "[[tear.cut]]\nfrom = [{from:.5}, -0.001]\nto = [{from:.5}, {to:.5}]\ntime = {time}"
            ));
        }
    }

    /// Limits, and what keeps them and how: most often nothing is said about it.
    fn steps(&mut self, continuum: bool, tears: bool) {
        let limit = self.chance.happens(0.6).then(|| self.chance.one(&[0.01, 0.02, 0.05, 0.1]));
        if let Some(limit) = limit {
            self.say(&format!("[limits]\nextension = {limit}"));
            self.known.limit = Some(limit);
            self.known.extension = (!continuum && !tears).then_some(limit);
        }
        if self.chance.happens(0.6) {
            return;
        }
        let limiter = match limit {
            Some(_) => self.chance.one(&["", "constraints", "impulses", "sweeps", "strips"]),
            None => "",
        };
        if !limiter.is_empty() {
            self.say(&format!("[limiter.{limiter}]"));
        }
        let explicit = !continuum && limiter != "constraints" && self.chance.happens(0.2);
        if explicit {
            self.say("[integrator.explicit]");
        } else if limiter != "strips" || !continuum {
            self.say("[integrator.implicit]");
            if self.chance.happens(0.3) {
                self.say("newton_tolerance = 1e-3");
            }
            if self.chance.happens(0.3) {
                self.say("[solver.direct]");
            }
        }
        if self.chance.happens(0.4) {
            let max = self.chance.scaled(5e-4, 0.03);
            self.say(&format!("[step]\nmax = {max:.6}"));
        }
    }

    fn checks(&mut self) {
        let mut text = String::from("[check]\ninside = 0\n");
        if self.known.contact {
            text.push_str("intersections = 0\n");
        }
        if let Some(limit) = self.known.limit {
            // A string takes whatever is written to it.
            let _ = writeln!(text, "extension = {limit}");
        }
        self.say(&text);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_seed_repeats_its_scenes() {
        for number in 0..50 {
            assert_eq!(scene(7, number).text, scene(7, number).text);
        }
        assert_ne!(scene(7, 1).text, scene(7, 2).text);
    }
}
