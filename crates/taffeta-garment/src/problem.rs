//! What can be wrong with a pattern. Every problem is found, none is mended.

use thiserror::Error;

use crate::outline;
use crate::pattern::{EdgeOf, Panel, Pattern};

/// Edges of more than this many times each other's length cannot be sewn together.
const HOPELESS: f64 = 3.0;

/// The cosine between edges from which a seam looks twisted.
const TWISTED: f64 = 0.5;

/// And how much nearer its ends come if they are exchanged, over the lengths of its edges.
const SAVED: f64 = 0.02;

/// Points for each edge when outlines are looked at.
const LOOKS: usize = 24;

/// Something that keeps a pattern from being cut or sewn.
#[derive(Clone, Debug, Error, PartialEq)]
#[non_exhaustive]
pub enum PatternProblem {
    /// There is nothing to cut.
    #[error("the pattern has no panels")]
    Empty,
    /// A panel without an inside.
    #[error("panel `{panel}` has no inside: its outline is open, or has no width")]
    Open {
        /// The panel's name.
        panel: String,
    },
    /// A number that is none.
    #[error("edge `{edge}` has a coordinate that is not finite")]
    NotFinite {
        /// The edge's name.
        edge: String,
    },
    /// An edge without length.
    #[error("edge `{edge}` has no length: it ends where it begins")]
    NoLength {
        /// The edge's name.
        edge: String,
    },
    /// An outline that crosses itself.
    #[error("the outline of panel `{panel}` crosses itself: `{}` meets `{}` near ({:.4}, {:.4})", edges[0], edges[1], at[0], at[1])]
    Crossing {
        /// The panel's name.
        panel: String,
        /// The names of the edges that meet.
        edges: [String; 2],
        /// Where the first of them is there \[m\].
        at: [f64; 2],
    },
    /// An edge that is in two seams, or on both sides of one.
    #[error("edge `{edge}` is sewn twice; an edge has one seam: divide it where the seams meet")]
    SewnTwice {
        /// The edge's name.
        edge: String,
        /// The later of the seams.
        seam: usize,
    },
    /// A seam of edges that are too unlike.
    #[error(
        "`{}` is {:.4} m long and `{}` {:.4} m: that is {:.2} times as long, and {HOPELESS} times can be eased in",
        edges[0], lengths[0], edges[1], lengths[1], lengths[0].max(lengths[1]) / lengths[0].min(lengths[1])
    )]
    Hopeless {
        /// The names of the edges.
        edges: [String; 2],
        /// How long they are \[m\].
        lengths: [f64; 2],
        /// The seam.
        seam: usize,
    },
    /// A panel that cannot be cut into triangles.
    #[error(
        "panel `{panel}` cannot be cut into triangles {spacing} m wide: parts of its outline come too near \
         each other; a shorter `edge` follows them better"
    )]
    NotCut {
        /// The panel's name.
        panel: String,
        /// The length asked for \[m\].
        spacing: f64,
    },
}

impl PatternProblem {
    /// The panel it is about, if it is about one.
    pub fn panel(&self) -> Option<&str> {
        match self {
            Self::Open { panel } | Self::Crossing { panel, .. } | Self::NotCut { panel, .. } => {
                Some(panel)
            }
            // An edge is named with its panel.
            Self::NotFinite { edge } | Self::NoLength { edge } | Self::SewnTwice { edge, .. } => {
                edge.rsplit_once('.').map(|(panel, _)| panel)
            }
            Self::Empty | Self::Hopeless { .. } => None,
        }
    }
}

/// A seam that looks as if its ends were exchanged.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Twist {
    /// The seam.
    pub seam: usize,
    /// How far apart its ends are put, as it is and the other way around \[m\].
    pub apart: [f64; 2],
}

impl Pattern {
    /// Every problem that shows before anything is cut.
    pub fn problems(&self) -> Vec<PatternProblem> {
        let mut problems = Vec::new();
        if self.panels.is_empty() {
            problems.push(PatternProblem::Empty);
        }
        self.panels.iter().for_each(|panel| outline_problems(panel, &mut problems));
        self.find_sewn_twice(&mut problems);
        if problems.is_empty() {
            self.find_hopeless(&mut problems);
        }
        problems
    }

    fn find_sewn_twice(&self, problems: &mut Vec<PatternProblem>) {
        let mut sewn: Vec<(EdgeOf, usize)> = Vec::new();
        for (number, seam) in self.seams.iter().enumerate() {
            sewn.extend(seam.sides.map(|side| (side, number)));
        }
        sewn.sort_unstable();
        for pair in sewn.windows(2).filter(|pair| pair[0].0 == pair[1].0) {
            let (edge, seam) = (self.name(pair[1].0), pair[1].1);
            problems.push(PatternProblem::SewnTwice { edge, seam });
        }
    }

    fn find_hopeless(&self, problems: &mut Vec<PatternProblem>) {
        for (number, seam) in self.seams.iter().enumerate() {
            let lengths = seam.sides.map(|side| self.length(side));
            let [short, long] = [lengths[0].min(lengths[1]), lengths[0].max(lengths[1])];
            if long > HOPELESS * short {
                let edges = seam.sides.map(|side| self.name(side));
                problems.push(PatternProblem::Hopeless { edges, lengths, seam: number });
            }
        }
    }

    /// Seams whose edges are put to run along each other where they should run against, or the other
    /// way around: whatever their gap, the ends of such come together nearer if they are exchanged.
    pub fn twists(&self) -> Vec<Twist> {
        let looks = |seam: usize| {
            let sides = self.seams[seam].sides;
            let ([a, b], [c, d]) = (self.placed_ends(sides[0]), self.placed_ends(sides[1]));
            let [against, along] = [a.distance(d) + b.distance(c), a.distance(c) + b.distance(d)];
            let reversed = self.seams[seam].reversed;
            let apart = if reversed { [along, against] } else { [against, along] };
            let alike = (b - a).normalize_or_zero().dot((d - c).normalize_or_zero());
            let lengths = a.distance(b) + c.distance(d);
            let nearer = apart[0] - apart[1] > SAVED * lengths;
            let twisted = nearer && (if reversed { -alike } else { alike }) > TWISTED;
            twisted.then_some(Twist { seam, apart })
        };
        (0..self.seams.len()).filter_map(looks).collect()
    }
}

fn outline_problems(panel: &Panel, problems: &mut Vec<PatternProblem>) {
    let before = problems.len();
    let name = |edge: usize| format!("{}.{}", panel.name, panel.outline[edge].name);
    for edge in 0..panel.outline.len() {
        let points = panel.outline[edge].curve.sample(panel.ends(edge), LOOKS);
        if !points.iter().all(|point| point.is_finite()) {
            problems.push(PatternProblem::NotFinite { edge: name(edge) });
        } else if panel.length(edge) == 0.0 {
            problems.push(PatternProblem::NoLength { edge: name(edge) });
        }
    }
    if problems.len() > before {
        return;
    }
    let way = panel.sampled(&vec![LOOKS; panel.outline.len()]);
    let around: f64 = (0..panel.outline.len()).map(|edge| panel.length(edge)).sum();
    if Panel::area_within(&way).abs() <= 1e-9 * around * around {
        return problems.push(PatternProblem::Open { panel: panel.name.clone() });
    }
    if let Some(sides) = outline::crossing(&way) {
        let (edges, at) = (sides.map(|side| name(side / LOOKS)), way[sides[0]].to_array());
        problems.push(PatternProblem::Crossing { panel: panel.name.clone(), edges, at });
    }
}
