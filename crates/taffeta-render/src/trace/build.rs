//! How items are sorted into nested boxes: in two at each step, at the least expected cost.

use glam::Vec3;

use super::item::Item;

/// A box that holds two others or a few items.
#[derive(Clone, Copy)]
pub struct Part {
    pub bounds: Bounds,
    /// Its first item, or the first of two parts that follow each other.
    pub first: u32,
    /// How many items it holds itself; none if it holds parts.
    pub count: u32,
}

/// Parts hold at most so many items themselves.
const LEAF: usize = 2;
/// Places at which a split is tried along an axis.
const BINS: usize = 12;
/// Below this depth boxes are halved by count, which bounds the depth.
const CHOSEN: usize = 24;
/// No box is deeper: halving 2³² items takes 32 levels more.
pub const DEEPEST: usize = CHOSEN + 32;

/// Sorts the items; the first part holds everything. Their order decides every bit.
pub fn build(items: &mut [Item]) -> Vec<Part> {
    let mut bounds: Vec<Bounds> = items.iter().map(|i| Bounds::of(i.form.bounds())).collect();
    let mut parts = Vec::with_capacity(items.len() + 1);
    parts.push(Part { bounds: enclose(&bounds), first: 0, count: items.len() as u32 });
    let mut open = vec![(0usize, 0usize)];
    while let Some((part, depth)) = open.pop() {
        let Part { first, count, .. } = parts[part];
        let (first, count) = (first as usize, count as usize);
        if count <= LEAF {
            continue;
        }
        let range = first..first + count;
        let half = split(&mut items[range.clone()], &mut bounds[range], depth);
        let child = parts.len();
        for (first, count) in [(first, half), (first + half, count - half)] {
            let bounds = enclose(&bounds[first..first + count]);
            parts.push(Part { bounds, first: first as u32, count: count as u32 });
        }
        parts[part].first = child as u32;
        parts[part].count = 0;
        open.extend([(child, depth + 1), (child + 1, depth + 1)]);
    }
    parts
}

/// A box with sides along the axes.
#[derive(Clone, Copy)]
pub struct Bounds {
    pub low: Vec3,
    pub high: Vec3,
}

impl Bounds {
    /// Of nothing: no ray enters it.
    pub const NONE: Self = Self { low: Vec3::INFINITY, high: Vec3::NEG_INFINITY };

    fn of([low, high]: [Vec3; 2]) -> Self {
        Self { low, high }
    }

    fn with(self, other: Self) -> Self {
        Self { low: self.low.min(other.low), high: self.high.max(other.high) }
    }

    fn centre(&self) -> Vec3 {
        (self.low + self.high) * 0.5
    }

    /// Half the surface; nothing has none.
    fn area(&self) -> f32 {
        let size = (self.high - self.low).max(Vec3::ZERO);
        size.x * size.y + size.y * size.z + size.z * size.x
    }
}

fn enclose(bounds: &[Bounds]) -> Bounds {
    bounds.iter().fold(Bounds::NONE, |whole, one| whole.with(*one))
}

/// Parts the items in two at the least expected cost; returns how many are in the first part.
fn split(items: &mut [Item], bounds: &mut [Bounds], depth: usize) -> usize {
    let centres = bounds.iter().fold(Bounds::NONE, |whole, one| {
        whole.with(Bounds { low: one.centre(), high: one.centre() })
    });
    let size = centres.high - centres.low;
    let axis = if size.x >= size.y && size.x >= size.z {
        0
    } else if size.y >= size.z {
        1
    } else {
        2
    };
    let (low, extent) = (centres.low[axis], size[axis]);
    let bin =
        |one: &Bounds| (((one.centre()[axis] - low) / extent * BINS as f32) as usize).min(BINS - 1);
    let cheapest = if extent > 0.0 && depth < CHOSEN { cheapest_cut(bounds, bin) } else { None };
    match cheapest {
        Some(cut) => partition(items, bounds, |one| bin(one) < cut),
        None => items.len() / 2,
    }
}

/// The first bin of the second part, by the surface area heuristic.
fn cheapest_cut(bounds: &[Bounds], bin: impl Fn(&Bounds) -> usize) -> Option<usize> {
    let mut bins = [(Bounds::NONE, 0usize); BINS];
    for one in bounds {
        let slot = &mut bins[bin(one)];
        *slot = (slot.0.with(*one), slot.1 + 1);
    }
    let cost = |part: &[(Bounds, usize)]| {
        let count: usize = part.iter().map(|slot| slot.1).sum();
        let whole = part.iter().fold(Bounds::NONE, |whole, slot| whole.with(slot.0));
        (count > 0).then(|| whole.area() * count as f32)
    };
    let mut best: Option<(f32, usize)> = None;
    for cut in 1..BINS {
        if let (Some(first), Some(second)) = (cost(&bins[..cut]), cost(&bins[cut..]))
            && best.is_none_or(|(least, _)| first + second < least)
        {
            best = Some((first + second, cut));
        }
    }
    best.map(|(_, cut)| cut)
}

fn partition(
    items: &mut [Item],
    bounds: &mut [Bounds],
    in_first: impl Fn(&Bounds) -> bool,
) -> usize {
    let mut count = 0;
    for i in 0..items.len() {
        if in_first(&bounds[i]) {
            items.swap(count, i);
            bounds.swap(count, i);
            count += 1;
        }
    }
    count
}
