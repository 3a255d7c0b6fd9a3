//! BVH: a skeleton and its motion, the text format of Biovision in which motion capture is passed on.
//!
//! Joints have an offset from the one above and channels, three turns mostly, in the order in which they
//! are applied; the root is moved too. Units of length are whatever the file was made in.

mod skeleton;

use std::collections::BTreeSet;
use std::str::Lines;

use glam::DVec3;

use self::skeleton::Channel;
pub use self::skeleton::{Joint, SkeletonMotion, Stance};
use super::error::{integer, number, shortened};
use super::{Fault, FormatError};

/// Frames further from each other than this are no motion [s].
const SLOWEST: f64 = 1.0;

/// Reads the text of a BVH file.
pub fn read_bvh(bytes: &[u8]) -> Result<SkeletonMotion, FormatError> {
    let text = String::from_utf8_lossy(bytes);
    let mut lines = Numbered { lines: text.lines(), line: 0 };
    let mut hierarchy = Hierarchy::default();
    while let Some(words) = lines.next() {
        match hierarchy.statement(&words) {
            Ok(true) => {}
            Ok(false) => return motion(hierarchy, &mut lines),
            Err(fault) => return Err(fault.at_line(lines.line)),
        }
    }
    Err(Fault::missing("the MOTION behind the HIERARCHY").at_line(lines.line))
}

/// The lines that are not empty, word by word.
struct Numbered<'a> {
    lines: Lines<'a>,
    line: usize,
}

impl<'a> Numbered<'a> {
    fn next(&mut self) -> Option<Vec<&'a str>> {
        for line in self.lines.by_ref() {
            self.line += 1;
            let words: Vec<&str> = line.split_whitespace().collect();
            if !words.is_empty() {
                return Some(words);
            }
        }
        None
    }

    /// What stands behind a heading such as `Frames:`.
    fn behind(&mut self, heading: &[&'static str]) -> Result<&'a str, FormatError> {
        let name = heading.join(" ");
        let words = self.next().ok_or_else(|| Fault::missing(&name).at_line(self.line))?;
        match words.strip_prefix(heading) {
            Some([value]) => Ok(value),
            _ => {
                let what = format!("`{name}` and a number are needed here");
                Err(Fault::malformed(what).at_line(self.line))
            }
        }
    }
}

/// The joints so far.
#[derive(Default)]
struct Hierarchy {
    begun: bool,
    joints: Vec<Joint>,
    names: BTreeSet<String>,
    channels: usize,
    /// What braces are open: of joints, or of the ends of limbs.
    open: Vec<Option<usize>>,
    /// What the next brace opens.
    named: Option<Option<usize>>,
    /// Which joints have their offset.
    placed: Vec<bool>,
}

impl Hierarchy {
    /// Takes a line; false if it ends the hierarchy.
    fn statement(&mut self, words: &[&str]) -> Result<bool, Fault> {
        if !self.begun {
            self.begun = words == ["HIERARCHY"];
            let what = "a BVH file begins with HIERARCHY, and this one does not";
            return if self.begun { Ok(true) } else { Err(Fault::malformed(what)) };
        }
        if let (Some(_), true) = (self.named, words[0] != "{") {
            return Err(Fault::missing("the `{` of the joint above"));
        }
        match words {
            ["ROOT" | "JOINT" | "End", ..] => self.begin(words)?,
            ["OFFSET", rest @ ..] => self.offset(rest)?,
            ["CHANNELS", rest @ ..] => self.take_channels(rest)?,
            ["MOTION"] => return self.finish().map(|()| false),
            braces if braces.iter().all(|word| ["{", "}"].contains(word)) => {
                braces.iter().try_for_each(|brace| self.brace(brace))?;
            }
            [other, ..] => {
                let what = format!("`{}` is nothing that a skeleton has", shortened(other));
                return Err(Fault::malformed(what));
            }
            [] => {}
        }
        Ok(true)
    }

    /// A joint, or the end of a limb, perhaps with its brace.
    fn begin(&mut self, words: &[&str]) -> Result<(), Fault> {
        let (words, brace) = match words {
            [words @ .., "{"] => (words, true),
            words => (words, false),
        };
        let parent = self.open.last().copied();
        self.named = Some(match (words[0], parent) {
            ("End", Some(Some(_))) => None,
            ("ROOT", None) if self.joints.is_empty() => Some(self.join(&words[1..], None)?),
            ("JOINT", Some(Some(parent))) => Some(self.join(&words[1..], Some(parent))?),
            ("ROOT", None) => {
                let instead = "keep one skeleton in the file";
                return Err(Fault::Unsupported { what: "a second ROOT".into(), instead });
            }
            (word, _) => {
                let what = format!("{word} cannot stand here: joints stand in those above them");
                return Err(Fault::malformed(what));
            }
        });
        if brace { self.brace("{") } else { Ok(()) }
    }

    fn join(&mut self, name: &[&str], parent: Option<usize>) -> Result<usize, Fault> {
        let name = name.join(" ");
        if name.is_empty() {
            return Err(Fault::missing("the name of the joint"));
        }
        if !self.names.insert(name.clone()) {
            return Err(Fault::malformed(format!("two joints are `{}`", shortened(&name))));
        }
        let (channels, first) = (Vec::new(), self.channels);
        self.joints.push(Joint { name, parent, offset: DVec3::ZERO, channels, first });
        self.placed.push(false);
        Ok(self.joints.len() - 1)
    }

    fn brace(&mut self, brace: &str) -> Result<(), Fault> {
        if brace == "{" {
            let named = self.named.take().ok_or_else(|| Fault::missing("the joint of this `{`"))?;
            self.open.push(named);
            return Ok(());
        }
        match self.open.pop() {
            None => Err(Fault::malformed("a `}` without its `{`")),
            Some(Some(joint)) if !self.placed[joint] => {
                Err(Fault::missing(format!("the OFFSET of joint `{}`", self.joints[joint].name)))
            }
            Some(_) => Ok(()),
        }
    }

    fn offset(&mut self, words: &[&str]) -> Result<(), Fault> {
        let [x, y, z] = words else {
            return Err(Fault::malformed(format!("an OFFSET has 3 numbers, not {}", words.len())));
        };
        let offset = DVec3::new(finite(x)?, finite(y)?, finite(z)?);
        match self.open.last() {
            None => return Err(Fault::missing("the joint of this OFFSET")),
            // How long the last bone is bears on nothing here.
            Some(None) => {}
            Some(Some(joint)) => {
                self.joints[*joint].offset = offset;
                self.placed[*joint] = true;
            }
        }
        Ok(())
    }

    fn take_channels(&mut self, words: &[&str]) -> Result<(), Fault> {
        let Some(Some(joint)) = self.open.last().copied() else {
            return Err(Fault::missing("the joint of these CHANNELS"));
        };
        let (count, names) = words.split_first().ok_or_else(|| Fault::missing("their count"))?;
        let count = integer(count)?;
        if usize::try_from(count) != Ok(names.len()) {
            let what = format!("CHANNELS says {count} and names {}", names.len());
            return Err(Fault::malformed(what));
        }
        let joint = &mut self.joints[joint];
        if !joint.channels.is_empty() {
            return Err(Fault::malformed(format!("joint `{}` has CHANNELS twice", joint.name)));
        }
        joint.first = self.channels;
        joint.channels = names.iter().map(|name| channel(name)).collect::<Result<_, Fault>>()?;
        self.channels += joint.channels.len();
        Ok(())
    }

    fn finish(&mut self) -> Result<(), Fault> {
        match (self.open.len(), self.channels) {
            (0, 0) => Err(Fault::missing("a joint with CHANNELS")),
            (0, _) => Ok(()),
            (open, _) => Err(Fault::malformed(format!("MOTION begins with {open} `{{` open"))),
        }
    }
}

fn channel(name: &str) -> Result<Channel, Fault> {
    let (axis, kind) = name.split_at_checked(1).unwrap_or_default();
    let axis = ["X", "Y", "Z"].iter().position(|known| *known == axis);
    match (axis, kind) {
        (Some(axis), "position") => Ok(Channel::Position(axis)),
        (Some(axis), "rotation") => Ok(Channel::Rotation(axis)),
        _ => {
            let name = shortened(name);
            Err(Fault::malformed(format!("`{name}` is no channel; Xposition and Zrotation are")))
        }
    }
}

fn finite(word: &str) -> Result<f64, Fault> {
    number(word).and_then(|value| match value.is_finite() {
        true => Ok(value),
        false => Err(Fault::NotANumber { text: shortened(word) }),
    })
}

fn motion(hierarchy: Hierarchy, lines: &mut Numbered) -> Result<SkeletonMotion, FormatError> {
    let frames = integer(lines.behind(&["Frames:"])?).map_err(|fault| fault.at_line(lines.line))?;
    let frame_time = lines.behind(&["Frame", "Time:"])?;
    let frame_time = finite(frame_time).map_err(|fault| fault.at_line(lines.line))?;
    if frames < 1 || frame_time <= 0.0 || frame_time > SLOWEST {
        let what =
            format!("{frames} frames of {frame_time} s are no motion: one has up to {SLOWEST} s");
        return Err(Fault::malformed(what).at_line(lines.line));
    }
    let (mut values, mut read, mut more) = (Vec::new(), 0, 0);
    while let Some(words) = lines.next() {
        if read == frames {
            more += 1;
            continue;
        }
        if words.len() != hierarchy.channels {
            let (there, needed) = (words.len(), hierarchy.channels);
            let what =
                format!("frame {read} has {there} numbers; the skeleton has {needed} channels");
            return Err(Fault::malformed(what).at_line(lines.line));
        }
        for word in words {
            values.push(finite(word).map_err(|fault| fault.at_line(lines.line))?);
        }
        read += 1;
    }
    if read < frames {
        let what = format!("the file says that it has {frames} frames, and there are {read}");
        return Err(Fault::malformed(what).at_line(lines.line));
    }
    let mut notes = Vec::new();
    if more > 0 {
        notes.push(format!("{more} lines behind the {frames} frames were left out"));
    }
    let moved = |joint: &&Joint| joint.channels.iter().any(|c| matches!(c, Channel::Position(_)));
    let moved = hierarchy.joints[1..].iter().filter(moved).count();
    if moved > 0 {
        notes.push(format!(
            "{moved} joints below the root are moved too: only their turns were taken"
        ));
    }
    Ok(SkeletonMotion { joints: hierarchy.joints, frame_time, notes, values })
}
