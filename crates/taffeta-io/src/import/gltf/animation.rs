//! How a glTF animation moves nodes and morphs meshes: keys of time and value, and what is between
//! them (glTF 2.0 §3.11 and appendix C).

use std::collections::BTreeMap;

use glam::{DQuat, DVec3};
use gltf::animation::{Channel, Interpolation, Property};

use super::super::Fault;
use super::super::turns::slerp;
use super::accessor;
use super::buffers::Buffers;

/// What a node is at a time, where an animation says so.
#[derive(Clone, Debug, Default)]
pub(super) struct Moved {
    pub translation: Option<DVec3>,
    pub rotation: Option<DQuat>,
    pub scale: Option<DVec3>,
    /// Weights of morph targets.
    pub weights: Option<Vec<f64>>,
}

/// One animation of a file.
pub(super) struct Animation {
    tracks: Vec<Track>,
    /// First and last time of any key [s].
    pub span: [f64; 2],
}

/// The keys of one property of one node.
struct Track {
    node: usize,
    property: Property,
    interpolation: Interpolation,
    times: Vec<f64>,
    /// For each key its value, or in-tangent, value and out-tangent of a cubic spline, flat.
    values: Vec<f64>,
    /// Numbers of a value.
    width: usize,
}

impl Animation {
    pub fn read(animation: &gltf::Animation, buffers: &mut Buffers) -> Result<Self, Fault> {
        let tracks: Vec<Track> = animation
            .channels()
            .map(|channel| Track::read(&channel, buffers))
            .collect::<Result<_, _>>()?;
        let ends =
            tracks.iter().filter_map(|track| Some([*track.times.first()?, *track.times.last()?]));
        let span = ends.reduce(|a, b| [a[0].min(b[0]), a[1].max(b[1])]);
        let span = span.ok_or_else(|| Fault::missing("a key of the animation"))?;
        Ok(Self { tracks, span })
    }

    /// What each animated node is at a time [s].
    pub fn at(&self, time: f64) -> BTreeMap<usize, Moved> {
        let mut moved: BTreeMap<usize, Moved> = BTreeMap::new();
        for track in &self.tracks {
            let value = track.at(time);
            let node = moved.entry(track.node).or_default();
            match track.property {
                Property::Translation => node.translation = Some(DVec3::from_slice(&value)),
                Property::Scale => node.scale = Some(DVec3::from_slice(&value)),
                Property::Rotation => node.rotation = Some(DQuat::from_slice(&value).normalize()),
                Property::MorphTargetWeights => node.weights = Some(value),
            }
        }
        moved
    }
}

impl Track {
    fn read(channel: &Channel, buffers: &mut Buffers) -> Result<Self, Fault> {
        let (target, sampler) = (channel.target(), channel.sampler());
        let times = accessor::read::<1>(&sampler.input(), buffers)?;
        let times: Vec<f64> = times.into_iter().map(|[time]| time).collect();
        if times.is_empty() || !times.windows(2).all(|pair| pair[0] < pair[1]) {
            return Err(Fault::malformed("the times of an animation do not increase"));
        }
        if times.iter().any(|time| !time.is_finite()) {
            return Err(Fault::malformed("a time of an animation is not finite"));
        }
        let output = sampler.output();
        let values: Vec<f64> = match target.property() {
            Property::Rotation => accessor::read::<4>(&output, buffers)?.concat(),
            Property::MorphTargetWeights => accessor::read::<1>(&output, buffers)?.concat(),
            _ => accessor::read::<3>(&output, buffers)?.concat(),
        };
        let interpolation = sampler.interpolation();
        let parts = if interpolation == Interpolation::CubicSpline { 3 } else { 1 };
        let width = values.len() / (parts * times.len());
        let fits = width > 0 && width * parts * times.len() == values.len();
        let wanted = match target.property() {
            Property::Rotation => 4,
            Property::MorphTargetWeights => width,
            _ => 3,
        };
        if !fits || width != wanted {
            let (count, keys) = (values.len(), times.len());
            return Err(Fault::malformed(format!(
                "an animation has {count} values for {keys} keys"
            )));
        }
        let (node, property) = (target.node().index(), target.property());
        Ok(Self { node, property, interpolation, times, values, width })
    }

    /// The value at a time; before the first key and after the last it is theirs.
    fn at(&self, time: f64) -> Vec<f64> {
        let after = self.times.partition_point(|key| *key <= time);
        if after == 0 || after == self.times.len() {
            return self.value(after.saturating_sub(1)).to_vec();
        }
        let before = after - 1;
        let span = self.times[after] - self.times[before];
        let share = (time - self.times[before]) / span;
        match self.interpolation {
            Interpolation::Step => self.value(before).to_vec(),
            Interpolation::Linear if self.property == Property::Rotation => {
                let [a, b] = [before, after].map(|key| DQuat::from_slice(self.value(key)));
                slerp(a, b, share).to_array().to_vec()
            }
            Interpolation::Linear => {
                let ends = self.value(before).iter().zip(self.value(after));
                ends.map(|(a, b)| a + share * (b - a)).collect()
            }
            Interpolation::CubicSpline => self.spline(before, share, span),
        }
    }

    /// Hermite's cubic between a key and the next, as glTF 2.0 appendix C.5 has it.
    fn spline(&self, before: usize, t: f64, span: f64) -> Vec<f64> {
        let (t2, t3) = (t * t, t * t * t);
        let weights = [
            2.0 * t3 - 3.0 * t2 + 1.0,
            span * (t3 - 2.0 * t2 + t),
            3.0 * t2 - 2.0 * t3,
            span * (t3 - t2),
        ];
        let (out, next_in) = (self.part(before, 2), self.part(before + 1, 0));
        let (value, next) = (self.value(before), self.value(before + 1));
        (0..self.width)
            .map(|i| {
                weights[0] * value[i]
                    + weights[1] * out[i]
                    + weights[2] * next[i]
                    + weights[3] * next_in[i]
            })
            .collect()
    }

    fn value(&self, key: usize) -> &[f64] {
        self.part(key, if self.interpolation == Interpolation::CubicSpline { 1 } else { 0 })
    }

    fn part(&self, key: usize, part: usize) -> &[f64] {
        let parts = if self.interpolation == Interpolation::CubicSpline { 3 } else { 1 };
        let begin = (key * parts + part) * self.width;
        &self.values[begin..begin + self.width]
    }
}
