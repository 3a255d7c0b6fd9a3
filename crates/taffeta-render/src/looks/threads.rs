//! The yarns of woven cloth that can tear, as a frame has them: which two meet at a crossing, and
//! where they are drawn.

use glam::DVec3;
use taffeta::Frame;
use taffeta::woven::{Thread, Yarn};

/// A yarn's radius, as a share of the distance between yarns.
pub(super) const THICKNESS: f64 = 0.41;
/// How far a yarn goes over and under, in radii; less than one presses them together.
pub(super) const CRIMP: f64 = 0.68;

/// A yarn, or a piece of one, and the crossings it passes.
#[derive(Clone, Copy)]
pub(super) struct Passing<'a> {
    pub yarn: &'a Yarn,
    /// Its first crossing; crossings are numbered by rows.
    first: u32,
    /// From a crossing of it to the next.
    stride: u32,
}

impl Passing<'_> {
    /// The crossing at one of its points.
    pub fn crossing(&self, point: usize) -> u32 {
        self.first + point as u32 * self.stride
    }

    /// The crossings at both ends of a span, the smaller first.
    pub fn span(&self, span: usize) -> [u32; 2] {
        [self.crossing(span), self.crossing(span + 1)]
    }
}

/// The yarns of a frame.
pub(super) struct Threads<'a> {
    pub all: Vec<Passing<'a>>,
    /// The radius at which they are drawn \[m\].
    pub radius: f64,
    positions: &'a [DVec3],
    /// How far apart the simulation has the middles of warp and weft \[m\].
    thickness: f64,
    /// Warp and weft at each crossing.
    meetings: Vec<[Stretch; 2]>,
    columns: u32,
}

/// A yarn at a crossing.
#[derive(Clone, Copy, Default)]
struct Stretch {
    position: DVec3,
    /// From the middle of the cloth a point before to that a point after.
    along: DVec3,
}

impl<'a> Threads<'a> {
    /// The yarns of a frame; none if its cloth is not woven of any.
    pub fn of(frame: &Frame<'a>) -> Option<Self> {
        let (yarns, positions) = (frame.yarns?, frame.positions);
        let (all, columns) = passings(&yarns.all);
        let crossings = all.iter().map(|p| p.yarn.points.len()).sum::<usize>() / 2;
        let mut threads = Self {
            radius: THICKNESS * spacing(&yarns.all, positions),
            all,
            positions,
            thickness: yarns.thickness,
            meetings: vec![[Stretch::default(); 2]; crossings],
            columns,
        };
        threads.meet();
        Some(threads)
    }

    fn meet(&mut self) {
        self.set(|threads, passing, point| Stretch {
            position: threads.particle(passing, point),
            along: DVec3::ZERO,
        });
        self.set(|threads, passing, point| {
            let last = passing.yarn.points.len() - 1;
            let [before, after] = [point.saturating_sub(1), last.min(point + 1)];
            let along = threads.middle(passing, after) - threads.middle(passing, before);
            Stretch { position: threads.particle(passing, point), along }
        });
    }

    /// Gives every yarn its part of every meeting.
    fn set(&mut self, of: impl Fn(&Self, &Passing, usize) -> Stretch) {
        for passing in self.all.clone() {
            for point in 0..passing.yarn.points.len() {
                let stretch = of(self, &passing, point);
                if let Some(meeting) = self.meetings.get_mut(passing.crossing(point) as usize) {
                    meeting[usize::from(passing.yarn.thread == Thread::Weft)] = stretch;
                }
            }
        }
    }

    /// The middle of the cloth at a yarn's point; that of the yarn alone if it has come out of it.
    fn middle(&self, passing: &Passing, point: usize) -> DVec3 {
        let (own, crossing) = (self.particle(passing, point), passing.crossing(point));
        let both = self.meetings.get(crossing as usize);
        let both = both.map_or(own, |[warp, weft]| (warp.position + weft.position) / 2.0);
        own.lerp(both, self.nearness(crossing))
    }

    /// Whether a yarn is the first or the last of its kind.
    pub fn at_border(&self, passing: &Passing) -> bool {
        let across = match passing.yarn.thread {
            Thread::Warp => [passing.first, self.meetings.len() as u32 - 1 - passing.first]
                .map(|crossings| crossings / self.columns),
            Thread::Weft => {
                let column = passing.first % self.columns;
                [column, self.columns - 1 - column]
            }
        };
        across.contains(&0)
    }

    /// The point at which a yarn's particle is.
    pub fn particle(&self, passing: &Passing, point: usize) -> DVec3 {
        self.positions[passing.yarn.points[point].particle as usize]
    }

    /// Where a yarn is drawn, point by point.
    ///
    /// MBCN09 eq. 2: a particle of the base level stands for a warp and a weft particle, on either
    /// side of it along the normal. The paper puts them half a cloth's thickness away; drawn yarns
    /// are thicker than that, so they go further, by a share of their radius. A particle that is
    /// the yarn's own is there already for its part; the rest goes as the other yarn moves away
    /// and nothing has to be passed over any more. So nothing jumps when a crossing splits or
    /// comes apart.
    pub fn path(&self, passing: &Passing) -> Vec<DVec3> {
        let points = &passing.yarn.points;
        let normals = (0..points.len()).map(|point| self.normal(passing.crossing(point)));
        let mut upright = normals.clone().flatten().next().unwrap_or(DVec3::Y);
        let mut path = Vec::with_capacity(points.len());
        for (point, normal) in normals.enumerate() {
            upright = normal.unwrap_or(upright);
            let own = if points[point].split { self.thickness / 2.0 } else { 0.0 };
            let lift = (CRIMP * self.radius - own) * self.nearness(passing.crossing(point));
            let side = if points[point].over { lift } else { -lift };
            path.push(self.particle(passing, point) + upright * side);
        }
        path
    }

    /// The normal of the cloth at a crossing, if its yarns are not along each other.
    fn normal(&self, crossing: u32) -> Option<DVec3> {
        let [warp, weft] = self.meetings.get(crossing as usize)?;
        weft.along.cross(warp.along).try_normalize()
    }

    /// One where warp and weft lie on each other, none where they do not touch as they are drawn.
    fn nearness(&self, crossing: u32) -> f64 {
        let apart = self.meetings.get(crossing as usize);
        let apart = apart.map_or(0.0, |[warp, weft]| warp.position.distance(weft.position));
        (2.0 - apart / self.radius).clamp(0.0, 1.0)
    }
}

/// The crossings of each yarn: warp yarns come first, row by row; then the weft, column by column.
/// A yarn that does not begin where it tore begins at the border.
/// Also tells how many columns there are.
fn passings(yarns: &[Yarn]) -> (Vec<Passing<'_>>, u32) {
    let next_border = yarns.iter().skip(1).position(|yarn| !yarn.torn[0]);
    let first_row = next_border.map_or(yarns, |next| &yarns[..=next]);
    let columns: u32 = first_row.iter().map(|yarn| yarn.points.len() as u32).sum();
    let (mut row_by_row, mut down_the_column, mut next_column) = (0, 0, 0);
    let mut all = Vec::with_capacity(yarns.len());
    for yarn in yarns {
        let points = yarn.points.len() as u32;
        if yarn.thread == Thread::Warp {
            all.push(Passing { yarn, first: row_by_row, stride: 1 });
            row_by_row += points;
            continue;
        }
        if !yarn.torn[0] {
            down_the_column = next_column;
            next_column += 1;
        }
        all.push(Passing { yarn, first: down_the_column, stride: columns });
        down_the_column += columns * points;
    }
    (all, columns)
}

/// The mean distance from crossing to crossing along the yarns \[m\].
fn spacing(yarns: &[Yarn], positions: &[DVec3]) -> f64 {
    let at = |point: &taffeta::woven::YarnPoint| positions[point.particle as usize];
    let spans = yarns.iter().flat_map(|yarn| yarn.points.windows(2));
    let lengths = spans.map(|span| at(&span[0]).distance(at(&span[1])));
    let (count, total) = lengths.fold((0u32, 0.0), |(n, sum), length| (n + 1, sum + length));
    total / f64::from(count.max(1))
}
