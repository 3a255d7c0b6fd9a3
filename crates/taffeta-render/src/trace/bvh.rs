//! A tree of boxes over the items, so that a ray looks at few of them.

use glam::Vec3;

use super::item::Item;
use super::ray::{Hit, Ray};

/// A tree of boxes. The order of the items decides every bit of it.
pub struct Bvh {
    nodes: Vec<Node>,
    items: Vec<Item>,
}

/// A box; an inner one has its children at `first` and `first + 1`, a leaf `count` items.
#[derive(Clone, Copy)]
struct Node {
    low: Vec3,
    first: u32,
    high: Vec3,
    count: u32,
}

/// Leaves hold at most so many items.
const LEAF: usize = 4;
/// Places at which a split is tried along an axis.
const BINS: usize = 12;
/// Below this depth boxes are halved by count, which bounds the depth.
const DEEPEST: usize = 40;
/// No path is longer: halving 2³² items takes 32 levels more.
const STACK: usize = DEEPEST + 34;

impl Bvh {
    pub fn build(mut items: Vec<Item>) -> Self {
        let mut bounds: Vec<Bounds> = items.iter().map(|i| Bounds::of(i.form.bounds())).collect();
        let mut nodes = Vec::with_capacity(items.len() + 1);
        let whole = enclose(&bounds);
        nodes.push(Node { low: whole.low, first: 0, high: whole.high, count: items.len() as u32 });
        let mut open = vec![(0usize, 0usize)];
        while let Some((node, depth)) = open.pop() {
            let Node { first, count, .. } = nodes[node];
            let (first, count) = (first as usize, count as usize);
            if count <= LEAF {
                continue;
            }
            let range = first..first + count;
            let half = split(&mut items[range.clone()], &mut bounds[range], depth);
            let child = nodes.len();
            for (first, count) in [(first, half), (first + half, count - half)] {
                let Bounds { low, high } = enclose(&bounds[first..first + count]);
                nodes.push(Node { low, first: first as u32, high, count: count as u32 });
            }
            nodes[node].first = child as u32;
            nodes[node].count = 0;
            open.extend([(child, depth + 1), (child + 1, depth + 1)]);
        }
        Self { nodes, items }
    }

    /// The nearest hit within a distance.
    pub fn first_hit(&self, ray: &Ray, limit: f32) -> Option<Hit> {
        let mut best: Option<Hit> = None;
        self.visit(ray, limit, |item, limit| {
            let (distance, place) = item.form.hit(ray, limit)?;
            best = Some(Hit { distance, item: item.number, place });
            Some(distance)
        });
        best
    }

    /// Whether there is any hit within a distance.
    pub fn blocks(&self, ray: &Ray, limit: f32) -> bool {
        let mut blocked = false;
        self.visit(ray, limit, |item, limit| {
            blocked = blocked || item.form.hit(ray, limit).is_some();
            // Nothing is nearer than this: the search ends.
            blocked.then_some(f32::NEG_INFINITY)
        });
        blocked
    }

    /// Shows the items near a ray, roughly from near to far, until none is within the limit that
    /// `test` may lower.
    #[inline]
    fn visit(&self, ray: &Ray, mut limit: f32, mut test: impl FnMut(&Item, f32) -> Option<f32>) {
        let mut stack = [(0u32, 0f32); STACK];
        let mut height = 0;
        if let (false, Some(entry)) = (self.items.is_empty(), self.nodes[0].entry(ray, limit)) {
            stack[0] = (0, entry);
            height = 1;
        }
        while height > 0 {
            height -= 1;
            let (index, entry) = stack[height];
            if entry >= limit {
                continue;
            }
            let node = &self.nodes[index as usize];
            let first = node.first as usize;
            if node.count > 0 {
                for item in &self.items[first..first + node.count as usize] {
                    limit = test(item, limit).unwrap_or(limit);
                }
                continue;
            }
            let near = |child: usize| {
                self.nodes.get(child).and_then(|n| n.entry(ray, limit)).map(|e| (child as u32, e))
            };
            let (mut left, mut right) = (near(first), near(first + 1));
            if let (Some(l), Some(r)) = (left, right)
                && l.1 <= r.1
            {
                (left, right) = (Some(r), Some(l));
            }
            for child in [left, right].into_iter().flatten() {
                stack[height] = child;
                height += 1;
            }
        }
    }
}

impl Node {
    /// Where a ray enters the box, if it does so within the limit.
    #[inline]
    fn entry(&self, ray: &Ray, limit: f32) -> Option<f32> {
        let a = (self.low - ray.origin) * ray.inverse;
        let b = (self.high - ray.origin) * ray.inverse;
        // 0 · ∞ is no number, and f32::min and max pass over it: the other bound decides.
        let (enter, leave) = (a.min(b), a.max(b));
        let near = enter.x.max(enter.y).max(enter.z).max(0.0);
        // Rounding must not make a ray miss the box of what it hits.
        let far = leave.x.min(leave.y).min(leave.z) * (1.0 + 4.0 * f32::EPSILON);
        (near <= far && near < limit).then_some(near)
    }
}

#[derive(Clone, Copy)]
struct Bounds {
    low: Vec3,
    high: Vec3,
}

impl Bounds {
    const NONE: Self = Self { low: Vec3::INFINITY, high: Vec3::NEG_INFINITY };

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
    let cheapest = if extent > 0.0 && depth < DEEPEST { cheapest_cut(bounds, bin) } else { None };
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

#[cfg(test)]
mod tests {
    use super::super::item::Form;
    use super::*;

    /// Numbers in −1..1 without a pattern the tree could profit from.
    fn scattered(index: u32) -> Vec3 {
        let one = |salt: u32| {
            let mixed = (index * 3 + salt).wrapping_mul(0x9e37_79b9).rotate_left(13);
            (mixed.wrapping_mul(0x85eb_ca6b) >> 8) as f32 / 8_388_608.0 - 1.0
        };
        Vec3::new(one(0), one(1), one(2))
    }

    fn items(count: u32) -> Vec<Item> {
        let form = |i: u32| {
            let (at, near) = (scattered(i), scattered(i + 7000) * 0.1);
            if i.is_multiple_of(2) {
                Form::Triangle([at, at + near, at + near.yzx()])
            } else {
                Form::Tube { ends: [at, at + near], radius: 0.01, opacity: 1.0 }
            }
        };
        use glam::Vec3Swizzles;
        (0..count).map(|number| Item { number, form: form(number) }).collect()
    }

    #[test]
    fn the_tree_finds_what_looking_at_everything_finds() {
        for count in [0, 1, 4, 5, 700] {
            let all = items(count);
            let bvh = Bvh::build(all.clone());
            for i in 0..2000 {
                let ray = Ray::new(
                    scattered(i) * 2.0,
                    (scattered(i + 99) - scattered(i) * 1.5).normalize(),
                    0.0,
                );
                let nearest = all
                    .iter()
                    .filter_map(|item| Some((item.form.hit(&ray, 10.0)?.0, item.number)))
                    .min_by(|a, b| a.partial_cmp(b).unwrap());
                let found = bvh.first_hit(&ray, 10.0).map(|hit| (hit.distance, hit.item));
                assert_eq!(found, nearest);
                assert_eq!(bvh.blocks(&ray, 10.0), nearest.is_some());
            }
        }
    }

    #[test]
    fn items_in_one_spot_do_not_overflow_the_stack() {
        let form = Form::Tube { ends: [Vec3::ONE; 2], radius: 0.1, opacity: 1.0 };
        let bvh = Bvh::build((0..100_000).map(|number| Item { number, form }).collect());
        let ray = Ray::new(Vec3::new(1.0, 1.0, 5.0), Vec3::NEG_Z, 0.0);
        assert!(bvh.first_hit(&ray, 10.0).is_some());
    }
}
