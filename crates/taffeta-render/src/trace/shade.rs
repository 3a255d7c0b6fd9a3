//! What a camera ray sees: the surface it meets, and the light there.

use glam::{Vec2, Vec3};

use super::bvh::Bvh;
use super::geometry::{Geometry, Paint};
use super::item::End;
use super::pattern::{Choice, Pattern, frame_of};
use super::pixel::{GROUND, NOTHING, Sample};
use super::ray::{Hit, Ray};
use crate::colour::Colour;
use crate::finish::{Lit, respond, twist};
use crate::scene::{Finish, Light, Scene};

/// A scene ready to be looked at.
pub struct Studio<'a> {
    geometry: &'a Geometry,
    bvh: &'a Bvh,
    light: Light,
    sun_frame: [Vec3; 2],
    /// The sun's radius at distance one.
    sun_radius: f32,
    background: Colour,
    ground: Option<Floor>,
    eye: Vec3,
    /// From the eye to the middle of the picture, and one pixel right and down.
    middle: Vec3,
    pixel: [Vec3; 2],
    size: [f32; 2],
    /// Rays start this far from the surface they leave.
    margin: f32,
    /// What is farther does not darken the sky.
    sky_reach: f32,
}

struct Floor {
    height: f32,
    colour: Colour,
    centre: Vec3,
    reach: f32,
}

/// What a sample asks for.
#[derive(Clone, Copy)]
struct Ask {
    sun: bool,
    sky: bool,
}

/// A point of a surface, and where rays may leave it.
struct Place {
    normal: Vec3,
    /// Along fibres, for yarns; along the tube for other curves.
    fibre: Vec3,
    colour: Colour,
    /// The start of rays into the side the normal points to, and into the other.
    starts: [Vec3; 2],
}

/// The share of the sky's light that even the nearest things send back.
const BOUNCE: f32 = 0.25;
/// Beyond everything.
const FAR: f32 = 1e30;

impl<'a> Studio<'a> {
    pub fn new(scene: &Scene, geometry: &'a Geometry, bvh: &'a Bvh, size: [usize; 2]) -> Self {
        let camera = &scene.camera;
        let [right, up, back] = camera.axes().map(|axis| axis.as_vec3());
        let size = size.map(|side| side as f32);
        let step = (2.0 * camera.half_height()) as f32 / size[1];
        let distance = camera.position.distance(camera.target) as f32;
        let ground = scene.ground.map(|ground| Floor {
            height: (ground.height - camera.target.y) as f32,
            colour: ground.colour,
            centre: geometry.local(ground.centre),
            reach: ground.reach as f32,
        });
        Self {
            geometry,
            bvh,
            light: scene.light,
            sun_frame: frame_of(scene.light.towards),
            sun_radius: scene.light.softness,
            background: scene.background,
            ground,
            eye: geometry.local(camera.position),
            middle: -back,
            pixel: [right * step, -up * step],
            size,
            margin: distance * 1e-5,
            sky_reach: distance * 0.25,
        }
    }

    /// Takes one sample of a pixel.
    ///
    /// The first samples, which neighbours share, ask for the sun and for the sky; the others in
    /// turn for one of them, which costs a third less for hardly more noise.
    pub fn sample(&self, at: [usize; 2], pattern: &Pattern, index: u32) -> Sample {
        let choice = pattern.choice(at, index);
        let (first, even) = (index < pattern.inside(), index.is_multiple_of(2));
        let ask = Ask { sun: first || even, sky: first || !even };
        let x = at[0] as f32 + 0.5 + choice.pixel.x - self.size[0] / 2.0;
        let y = at[1] as f32 + 0.5 + choice.pixel.y - self.size[1] / 2.0;
        let direction = (self.middle + self.pixel[0] * x + self.pixel[1] * y).normalize();
        let ray = Ray::new(self.eye, direction, choice.dice);
        let floor = self.ground.as_ref().and_then(|floor| floor.hit(&ray));
        match self.bvh.first_hit(&ray, floor.map_or(FAR, |floor| floor.0)) {
            Some(hit) => self.see(&ray, &hit, &choice, ask),
            None => self.see_ground(&ray, floor, &choice, ask),
        }
    }

    fn see(&self, ray: &Ray, hit: &Hit, choice: &Choice, ask: Ask) -> Sample {
        let triangles = self.geometry.triangles.len() as u32;
        let (object, place) = if hit.item < triangles {
            self.on_triangle(ray, hit)
        } else {
            self.on_tube(ray, hit, (hit.item - triangles) as usize)
        };
        let finish = self.geometry.objects[object as usize].material.finish;
        let lit = Lit {
            normal: place.normal,
            fibre: place.fibre,
            view: -ray.direction,
            light: &self.light,
        };
        let answer = respond(finish, &lit);
        let exposed = finish != Finish::Flat;
        let sun_side = usize::from(place.normal.dot(self.light.towards) < 0.0);
        let sunny = (exposed && ask.sun && answer.sun != Vec3::ZERO)
            .then(|| self.sees_sun(place.starts[sun_side], choice));
        let open =
            (exposed && ask.sky).then(|| self.sees_sky(place.starts[0], place.normal, choice));
        Sample {
            own: answer.own * place.colour,
            sun: answer.sun * place.colour,
            sky: answer.sky * place.colour,
            sunny,
            open,
            normal: place.normal,
            depth: hit.distance,
            object,
        }
    }

    fn see_ground(
        &self,
        ray: &Ray,
        floor: Option<(f32, f32)>,
        choice: &Choice,
        ask: Ask,
    ) -> Sample {
        let mut sample = Sample {
            own: self.background,
            sun: Vec3::ZERO,
            sky: Vec3::ZERO,
            sunny: None,
            open: None,
            normal: Vec3::Y,
            depth: FAR,
            object: NOTHING,
        };
        let (Some((distance, solidity)), Some(floor)) = (floor, &self.ground) else {
            return sample;
        };
        let start = ray.at(distance) + Vec3::Y * self.margin;
        // In the open the floor has its own colour: only what blocks light shows on it.
        let sun = self.light.sun * self.light.towards.y.max(0.0);
        let whole = sun + self.light.sky;
        let shown = floor.colour * solidity;
        sample.own = self.background * (1.0 - solidity);
        sample.sun = shown * sun / whole;
        sample.sky = shown * self.light.sky / whole;
        sample.sunny = ask.sun.then(|| self.sees_sun(start, choice));
        sample.open = ask.sky.then(|| self.sees_sky(start, Vec3::Y, choice));
        sample.depth = distance;
        sample.object = GROUND;
        sample
    }

    fn sees_sun(&self, start: Vec3, choice: &Choice) -> f32 {
        let aside = choice.disc * self.sun_radius;
        let [right, up] = self.sun_frame;
        let direction = (self.light.towards + right * aside.x + up * aside.y).normalize();
        if self.bvh.blocks(&Ray::new(start, direction, choice.dice), FAR) { 0.0 } else { 1.0 }
    }

    /// Things nearby take the sky away; the farther they are, the more light they send themselves.
    fn sees_sky(&self, start: Vec3, normal: Vec3, choice: &Choice) -> f32 {
        let [right, up] = frame_of(normal);
        let direction = right * choice.dome.x + up * choice.dome.y + normal * choice.dome.z;
        let ray = Ray::new(start, direction, choice.dice);
        match self.bvh.first_hit(&ray, self.sky_reach) {
            None => 1.0,
            Some(hit) => BOUNCE + (1.0 - BOUNCE) * hit.distance / self.sky_reach,
        }
    }

    fn on_triangle(&self, ray: &Ray, hit: &Hit) -> (u32, Place) {
        let triangle = &self.geometry.triangles[hit.item as usize];
        let corners = triangle.corners.map(|corner| self.geometry.vertices[corner as usize]);
        let weights = [1.0 - hit.place[0] - hit.place[1], hit.place[0], hit.place[1]];
        let blend = |of: [Vec3; 3]| of[0] * weights[0] + of[1] * weights[1] + of[2] * weights[2];
        let [a, b, c] = corners.map(|corner| corner.position);
        let flat = (b - a).cross(c - a);
        let side = if flat.dot(ray.direction) <= 0.0 { 1.0 } else { -1.0 };
        let smooth = blend(corners.map(|corner| corner.normal)) * side;
        let normal = smooth.try_normalize().unwrap_or(Vec3::Y);
        let object = &self.geometry.objects[triangle.object as usize];
        let colour = match &object.paint {
            Paint::Vertices => blend(corners.map(|corner| corner.colour)),
            Paint::Plain if side > 0.0 => object.material.front,
            Paint::Plain => object.material.back,
            Paint::Picture { image, skipped } => {
                let places = self.geometry.places[(hit.item - skipped) as usize];
                let at = places[0] * weights[0] + places[1] * weights[1] + places[2] * weights[2];
                image.at(at, self.blur(ray, hit.distance, flat, places))
            }
        };
        // Rays leave from the smooth surface the triangle stands for, not from the flat one:
        // otherwise each triangle would shade its own dark side in steps (J. Hanika 2021).
        let position = blend([a, b, c]);
        let start = |side: f32| {
            let lifted = corners.map(|corner| {
                let outside = (position - corner.position).dot(corner.normal) * side;
                position - corner.normal * (side * outside.min(0.0))
            });
            blend(lifted)
        };
        let starts = [start(side) + normal * self.margin, start(-side) - normal * self.margin];
        (triangle.object, Place { normal, fibre: Vec3::ZERO, colour, starts })
    }

    /// How much of a copy of a picture is seen in a pixel at a triangle with this area vector.
    fn blur(&self, ray: &Ray, distance: f32, flat: Vec3, places: [Vec2; 3]) -> f32 {
        let area = (places[1] - places[0]).perp_dot(places[2] - places[0]).abs();
        // Seen at a slant a pixel covers a long strip: between its sides is sharp enough along
        // it and not too blurred across.
        let facing = flat.dot(ray.direction).abs().max(1e-30);
        distance * self.pixel[0].length() * (area / facing).sqrt()
    }

    fn on_tube(&self, ray: &Ray, hit: &Hit, tube: usize) -> (u32, Place) {
        let tube = &self.geometry.tubes[tube];
        let [a, b] = tube.points.map(|point| self.geometry.points[point as usize]);
        let share = hit.place[0];
        let centre = a.position.lerp(b.position, share);
        let position = ray.at(hit.distance);
        let material = &self.geometry.objects[tube.object as usize].material;
        let tangent = a.tangent.lerp(b.tangent, share).try_normalize().unwrap_or(a.tangent);
        // Square to the curve's tangent, which hides the joints of its pieces, but at a ball.
        let out = position - centre;
        let at_ball = (share == 0.0 && tube.ends[0] == End::Ball)
            || (share == 1.0 && tube.ends[1] == End::Ball);
        let smooth = if at_ball { out } else { out - tangent * out.dot(tangent) };
        let normal = smooth.try_normalize().unwrap_or(-ray.direction);
        let start = position + normal * self.margin;
        let mut place =
            Place { normal, fibre: tangent, colour: material.front, starts: [start; 2] };
        if material.finish == Finish::Yarn {
            let side = a.side.lerp(b.side, share);
            let length = a.length + (b.length - a.length) * share;
            let twisted = twist(normal, tangent, side, length);
            (place.normal, place.fibre) = (twisted.normal, twisted.fibre);
            place.colour *= twisted.tone;
        }
        (tube.object, place)
    }
}

impl Floor {
    /// The distance to the floor and how solid it is there; none where there is nothing left.
    fn hit(&self, ray: &Ray) -> Option<(f32, f32)> {
        let distance = (self.height - ray.origin.y) * ray.inverse.y;
        if !(distance > 0.0 && distance < FAR && ray.direction.y < 0.0) {
            return None;
        }
        let aside = ray.at(distance).distance(self.centre) / self.reach;
        let t = ((1.0 - aside) * 1.6).clamp(0.0, 1.0);
        let solidity = t * t * (3.0 - 2.0 * t);
        (solidity > 0.0).then_some((distance, solidity))
    }
}
