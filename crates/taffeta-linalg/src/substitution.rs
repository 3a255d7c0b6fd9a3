//! L Lᵀ x = b with the fronts of a multifrontal factorisation, in parallel and with the same bits on
//! any number of threads.
//!
//! Unknowns are in the order of elimination, so that what is below a front is one piece. Forward, a
//! front hands what it takes off its border to the front above; backward, that front hands down
//! what the border has become.

use crate::fronts::{Front, Half, Run};

/// Fronts of which the last is above all others, and all panels of the factor.
#[derive(Clone, Copy)]
pub(crate) struct Substitution<'a> {
    pub fronts: &'a [Front],
    pub values: &'a [f64],
}

/// A front with its halves, and the unknowns of each.
struct Split<'a, 'x> {
    front: &'a Front,
    below: Option<Below<'a, 'x>>,
    own: &'x mut [f64],
}

struct Below<'a, 'x> {
    halves: &'a [Half; 2],
    trees: [Substitution<'a>; 2],
    unknowns: [&'x mut [f64]; 2],
}

impl<'a> Substitution<'a> {
    /// x = L⁻¹ x; what the last front takes off its border is left at the beginning of `room`.
    pub fn forward(self, x: &mut [f64], room: &mut [f64]) {
        let Some(Split { front, below, own }) = self.split(x) else { return };
        let (width, height) = (front.width(), front.height());
        let (local, room) = room.split_at_mut(height);
        local[..width].copy_from_slice(own);
        local[width..].fill(0.0);
        if let Some(Below { halves, trees: [near, far], unknowns: [near_x, far_x] }) = below {
            let (near_room, far_room) = room.split_at_mut(near.room());
            in_two(
                front.solved_apart,
                || near.forward(near_x, near_room),
                || far.forward(far_x, far_room),
            );
            for (half, tree, room) in [(&halves[0], near, &near_room), (&halves[1], far, &far_room)]
            {
                let border = &room[tree.width()..];
                for_each(&half.runs, |from, to| {
                    local[to].iter_mut().zip(&border[from]).for_each(|(sum, value)| *sum += value);
                });
            }
        }
        eliminate(front, self.panel(front), local);
        own.copy_from_slice(&local[..width]);
    }

    /// x = L⁻ᵀ x; `room` begins with room for the last front's own unknowns and what its border is.
    pub fn backward(self, x: &mut [f64], room: &mut [f64]) {
        let Some(Split { front, below, own }) = self.split(x) else { return };
        let (width, height) = (front.width(), front.height());
        let (local, room) = room.split_at_mut(height);
        local[..width].copy_from_slice(own);
        substitute(front, self.panel(front), local);
        own.copy_from_slice(&local[..width]);
        let Some(Below { halves, trees: [near, far], unknowns: [near_x, far_x] }) = below else {
            return;
        };
        let (near_room, far_room) = room.split_at_mut(near.room());
        for (half, tree, room) in
            [(&halves[0], near, &mut *near_room), (&halves[1], far, &mut *far_room)]
        {
            let border = &mut room[tree.width()..];
            for_each(&half.runs, |from, to| border[from].copy_from_slice(&local[to]));
        }
        in_two(
            front.solved_apart,
            || near.backward(near_x, near_room),
            || far.backward(far_x, far_room),
        );
    }

    fn panel(self, front: &Front) -> &'a [f64] {
        &self.values[front.panel..][..front.width() * front.height()]
    }

    /// The numbers that the last front and all below it need.
    fn room(self) -> usize {
        self.fronts.last().map_or(0, |front| front.room)
    }

    /// Unknowns of the last front's own.
    fn width(self) -> usize {
        self.fronts.last().map_or(0, Front::width)
    }

    fn split<'x>(self, x: &'x mut [f64]) -> Option<Split<'a, 'x>> {
        let (front, below) = self.fronts.split_last()?;
        let (below_x, own) = x.split_at_mut(x.len() - front.width());
        let Some(halves) = &front.halves else {
            return Some(Split { front, below: None, own });
        };
        // The far half comes right before the front, and is as large as the difference of numbers.
        let (near, far) = below.split_at(below.len() - (halves[1].front - halves[0].front));
        let trees = [near, far].map(|fronts| Substitution { fronts, ..self });
        let first = near.first()?.own.start;
        let (near_x, far_x) = below_x.split_at_mut(3 * (far.first()?.own.start - first));
        let unknowns = [near_x, far_x];
        Some(Split { front, below: Some(Below { halves, trees, unknowns }), own })
    }
}

/// Does two things, by two threads if that is worth it.
fn in_two(apart: bool, one: impl FnOnce() + Send, other: impl FnOnce() + Send) {
    if apart {
        rayon::join(one, other);
    } else {
        one();
        other();
    }
}

/// The unknowns of each run: in the border of a half, and in the front above.
fn for_each(runs: &[Run], mut act: impl FnMut(std::ops::Range<usize>, std::ops::Range<usize>)) {
    for run in runs {
        let [from, to, count] = [run.from, run.to, run.count].map(|k| 3 * k as usize);
        act(from..from + count, to..to + count);
    }
}

/// The three columns of a particle in a panel, from its own rows on.
fn columns<'a>(front: &Front, panel: &'a [f64], k: usize) -> [&'a [f64]; 3] {
    let height = front.height();
    [0, 1, 2].map(|axis| &panel[(k + axis) * height..][k..height])
}

/// x = L⁻¹ x in the front's own rows, and what that takes off its border.
fn eliminate(front: &Front, panel: &[f64], x: &mut [f64]) {
    for k in (0..front.width()).step_by(3) {
        let [first, second, third] = columns(front, panel, k);
        let (known, rest) = x[k..].split_at_mut(3);
        let a = known[0] / first[0];
        let b = (known[1] - first[1] * a) / second[1];
        let c = (known[2] - first[2] * a - second[2] * b) / third[2];
        known.copy_from_slice(&[a, b, c]);
        let below = first[3..].iter().zip(&second[3..]).zip(&third[3..]);
        for (x, ((first, second), third)) in rest.iter_mut().zip(below) {
            *x -= first * a + second * b + third * c;
        }
    }
}

/// x = L⁻ᵀ x in the front's own rows, its border being known.
fn substitute(front: &Front, panel: &[f64], x: &mut [f64]) {
    for k in (0..front.width()).step_by(3).rev() {
        let [first, second, third] = columns(front, panel, k);
        let (unknown, known) = x[k..].split_at_mut(3);
        let [a, b, c] = [first, second, third].map(|column| dot(&column[3..], known));
        unknown[2] = (unknown[2] - c) / third[2];
        unknown[1] = (unknown[1] - b - second[2] * unknown[2]) / second[1];
        let above = first[1] * unknown[1] + first[2] * unknown[2];
        unknown[0] = (unknown[0] - a - above) / first[0];
    }
}

/// The sum of products, in lanes so that the processor has several to work on.
fn dot(a: &[f64], b: &[f64]) -> f64 {
    const LANES: usize = 8;
    let mut sums = [0.0; LANES];
    let (a_lanes, b_lanes) = (a.chunks_exact(LANES), b.chunks_exact(LANES));
    let rest = a_lanes.remainder().iter().zip(b_lanes.remainder());
    let tail: f64 = rest.map(|(a, b)| a * b).sum();
    for (a, b) in a_lanes.zip(b_lanes) {
        for ((sum, a), b) in sums.iter_mut().zip(a).zip(b) {
            *sum += a * b;
        }
    }
    sums.iter().sum::<f64>() + tail
}
