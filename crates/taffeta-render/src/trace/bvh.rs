//! A tree of boxes over the items, so that a ray looks at few of them. A node holds four boxes,
//! which a ray is tested against all at once.

use glam::Vec4;

use super::build::{Bounds, DEEPEST, Part, build};
use super::item::Item;
use super::ray::{Hit, Ray};

/// A tree of boxes. The order of the items decides every bit of it.
pub struct Bvh {
    nodes: Vec<Node>,
    items: Vec<Item>,
}

/// Four boxes, a lane for each.
struct Node {
    low: [Vec4; 3],
    high: [Vec4; 3],
    content: [Content; 4],
}

/// What is in a box: `count` items from `first` on, or if that is none the node `first`.
#[derive(Clone, Copy, Default)]
struct Content {
    first: u32,
    count: u32,
}

/// A node stands for two levels of parts and leaves at most three boxes open on the way down.
const STACK: usize = 3 * DEEPEST.div_ceil(2) + 4;

impl Bvh {
    pub fn build(mut items: Vec<Item>) -> Self {
        let parts = build(&mut items);
        let mut nodes = Vec::with_capacity(parts.len() / 2 + 1);
        // Each node is made of one part; those of its inner parts follow.
        let mut made_of = if items.is_empty() { Vec::new() } else { vec![0] };
        while let Some(&part) = made_of.get(nodes.len()) {
            let mut node = Node::EMPTY;
            for (lane, inner) in parts_in(&parts, part).into_iter().enumerate() {
                let Part { bounds, mut first, count } = parts[inner];
                if count == 0 {
                    first = made_of.len() as u32;
                    made_of.push(inner);
                }
                node.put(lane, &bounds, Content { first, count });
            }
            nodes.push(node);
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
        if self.nodes.is_empty() {
            return;
        }
        let mut stack = [(0f32, Content::default()); STACK];
        let (mut height, mut next) = (0, Content::default());
        loop {
            let Content { first, count } = next;
            if count > 0 {
                for item in &self.items[first as usize..(first + count) as usize] {
                    limit = test(item, limit).unwrap_or(limit);
                }
            } else {
                height = self.nodes[first as usize].push(ray, limit, &mut stack, height);
            }
            // The nearest that is still within the limit.
            loop {
                if height == 0 {
                    return;
                }
                height -= 1;
                if stack[height].0 < limit {
                    next = stack[height].1;
                    break;
                }
            }
        }
    }
}

/// The parts in a part, two levels down; a part of items stands for itself.
fn parts_in(parts: &[Part], part: usize) -> Vec<usize> {
    let halves = |part: usize| match parts[part] {
        Part { count: 0, first, .. } => vec![first as usize, first as usize + 1],
        _ => vec![part],
    };
    halves(part).into_iter().flat_map(halves).collect()
}

impl Node {
    /// Boxes at infinity, where no ray with a limit comes.
    const EMPTY: Self = Self {
        low: [Vec4::INFINITY; 3],
        high: [Vec4::INFINITY; 3],
        content: [Content { first: 0, count: 0 }; 4],
    };

    fn put(&mut self, lane: usize, bounds: &Bounds, content: Content) {
        for axis in 0..3 {
            self.low[axis][lane] = bounds.low[axis];
            self.high[axis][lane] = bounds.high[axis];
        }
        self.content[lane] = content;
    }

    /// Puts the boxes a ray enters on a stack, farther ones below nearer ones; returns its height.
    #[inline]
    fn push(
        &self,
        ray: &Ray,
        limit: f32,
        stack: &mut [(f32, Content); STACK],
        base: usize,
    ) -> usize {
        let (entries, mut entered) = self.entries(ray, limit);
        let mut height = base;
        while entered != 0 {
            let lane = (entered.trailing_zeros() & 3) as usize;
            entered &= entered - 1;
            let (entry, mut place) = (entries[lane], height);
            while place > base && stack[place - 1].0 < entry {
                stack[place] = stack[place - 1];
                place -= 1;
            }
            stack[place] = (entry, self.content[lane]);
            height += 1;
        }
        height
    }

    /// Where a ray enters each box, and a bit for each that it enters within the limit.
    #[inline]
    fn entries(&self, ray: &Ray, limit: f32) -> ([f32; 4], u32) {
        let (mut near, mut far) = (Vec4::ZERO, Vec4::INFINITY);
        for axis in 0..3 {
            let (origin, inverse) = (Vec4::splat(ray.origin[axis]), ray.inverse[axis]);
            let a = (self.low[axis] - origin) * inverse;
            let b = (self.high[axis] - origin) * inverse;
            near = near.max(a.min(b));
            far = far.min(a.max(b));
        }
        // Rounding must not make a ray miss the box of what it hits.
        let far = far * (1.0 + 4.0 * f32::EPSILON);
        let entered = near.cmple(far) & near.cmplt(Vec4::splat(limit));
        (near.to_array(), entered.bitmask())
    }
}

#[cfg(test)]
mod tests {
    use super::super::item::{End, Form, Tube};
    use super::*;
    use glam::Vec3;

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
                Form::Tube(Tube::new([at, at + near], 0.01, 1.0, [End::Ball; 2]))
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
        let form = Form::Tube(Tube::new([Vec3::ONE; 2], 0.1, 1.0, [End::Ball; 2]));
        let bvh = Bvh::build((0..100_000).map(|number| Item { number, form }).collect());
        let ray = Ray::new(Vec3::new(1.0, 1.0, 5.0), Vec3::NEG_Z, 0.0);
        assert!(bvh.first_hit(&ray, 10.0).is_some());
    }
}
