//! How far cloth has torn, counted from a frame and its topology alone.

use serde::Serialize;
use taffeta::woven::{Bond, Tears, Yarns};

/// How far cloth has torn in a frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Torn {
    /// The frame.
    pub frame: u32,
    /// Spans of yarn from a crossing to the next that are torn.
    pub torn: u32,
    /// Ends of yarns where they tore.
    pub ends: u32,
    /// Pieces that no yarn and no crossing joins.
    pub pieces: u32,
}

impl Torn {
    /// Counts what has become of a cloth of so many particles.
    pub fn count(frame: u32, tears: &Tears, yarns: &Yarns, particles: usize) -> Self {
        let ends = yarns.all.iter().flat_map(|yarn| yarn.torn).filter(|torn| *torn);
        Self {
            frame,
            torn: tears.torn.iter().filter(|torn| **torn).count() as u32,
            ends: ends.count() as u32,
            pieces: pieces(tears, yarns, particles),
        }
    }
}

fn pieces(tears: &Tears, yarns: &Yarns, particles: usize) -> u32 {
    let mut groups = Groups { above: (0..particles).collect(), count: particles };
    for span in yarns.all.iter().flat_map(|yarn| yarn.points.windows(2)) {
        groups.join(span[0].particle as usize, span[1].particle as usize);
    }
    for (crossing, (bond, weft)) in tears.bonds.iter().zip(&tears.wefts).enumerate() {
        if *bond != Bond::Apart {
            groups.join(crossing, *weft as usize);
        }
    }
    groups.count as u32
}

/// Groups of particles that are joined.
struct Groups {
    /// Another particle of the same group, or itself.
    above: Vec<usize>,
    count: usize,
}

impl Groups {
    fn join(&mut self, a: usize, b: usize) {
        if let (Some(a), Some(b)) = (self.top(a), self.top(b))
            && a != b
        {
            self.above[a.max(b)] = a.min(b);
            self.count -= 1;
        }
    }

    /// The first of a particle's group; none for a particle that is not there.
    fn top(&mut self, mut particle: usize) -> Option<usize> {
        while *self.above.get(particle)? != particle {
            let next = self.above[particle];
            self.above[particle] = self.above[next];
            particle = next;
        }
        Some(particle)
    }
}
