//! The surface of cloth as collision sees it, with the yarns that hang out of it.

use super::{Model, YarnPoint, Yarns};
use crate::geometry::collision::Surface;

impl Surface {
    /// The surface of cloth, torn or not.
    pub fn of(model: &Model) -> Self {
        Self::new(&model.faces, model.particles()).with_yarns_of(model)
    }

    /// With what hangs out of the weave of a model.
    pub(crate) fn with_yarns_of(self, model: &Model) -> Self {
        match &model.yarns {
            Some(yarns) => self.with_yarns(yarns, &model.couples),
            None => self,
        }
    }

    /// With the spans of yarns that have come out of the weave (MBCN09 §4.2). Where the weave holds
    /// its faces stand for it, and the other particles of its split crossings meet nothing.
    /// `couples` are warp and weft where they hold each other.
    #[must_use]
    pub fn with_yarns(self, yarns: &Yarns, couples: &[[u32; 2]]) -> Self {
        let spans = || yarns.all.iter().flat_map(|yarn| yarn.points.windows(2));
        let ends = |span: &[YarnPoint]| [span[0].particle, span[1].particle];
        let free = spans().filter(|span| span.iter().all(|point| point.apart)).map(ends);
        self.with_edges(free, couples.iter().copied().chain(spans().map(ends)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::geometry::mesh::Faces;
    use crate::matter::model::{Thread, Yarn};

    /// A triangle whose corner 2 is split (weft 3), with a yarn that hangs out of it by three
    /// crossings that have come apart.
    #[test]
    fn yarns_out_of_the_weave_meet_what_is_there_and_split_crossings_do_not() {
        let mut faces = Faces::new();
        faces.push(&[0, 1, 2]);
        let point =
            |particle: u32, apart: bool| YarnPoint { particle, over: true, split: true, apart };
        let points = vec![point(3, false), point(4, true), point(5, true), point(6, true)];
        let gauges = vec![0, 1, 2];
        let yarn = Yarn { thread: Thread::Weft, points, torn: [false, true], gauges };
        let yarns = Yarns { all: vec![yarn], thickness: 1e-4 };
        let surface = Surface::new(&faces, 8).with_yarns(&yarns, &[[2, 3]]);
        assert_eq!(surface.edges, [[0, 1], [0, 2], [1, 2], [4, 5], [5, 6]]);
        assert_eq!(surface.vertices, [0, 1, 2, 4, 5, 6]);
        assert!(surface.connected(0, 6) && !surface.connected(0, 7));
    }
}
