//! Closed ways in the plane: what is inside, how far it is, and whether they cross themselves.

use glam::DVec2;

/// Whether a point is inside of a closed way, by how often a ray from it crosses the way.
pub fn contains(way: &[DVec2], point: DVec2) -> bool {
    let crosses = |[a, b]: [DVec2; 2]| {
        (a.y > point.y) != (b.y > point.y)
            && point.x < a.x + (b.x - a.x) * (point.y - a.y) / (b.y - a.y)
    };
    sides(way).filter(|side| crosses(*side)).count() % 2 == 1
}

/// How far a point is from a closed way.
pub fn distance(way: &[DVec2], point: DVec2) -> f64 {
    let from = |[a, b]: [DVec2; 2]| {
        let side = b - a;
        let share = ((point - a).dot(side) / side.length_squared()).clamp(0.0, 1.0);
        (a + side * share).distance(point)
    };
    sides(way).map(from).fold(f64::INFINITY, f64::min)
}

/// The first two sides of a closed way that cross or touch without being neighbours, if any do.
pub fn crossing(way: &[DVec2]) -> Option<[usize; 2]> {
    let all: Vec<[DVec2; 2]> = sides(way).collect();
    let count = all.len();
    let pairs = (0..count).flat_map(|i| (i + 1..count).map(move |j| [i, j]));
    pairs
        .filter(|[i, j]| j - i > 1 && (*i, *j) != (0, count - 1))
        .find(|[i, j]| meet(all[*i], all[*j]))
}

fn meet([a, b]: [DVec2; 2], [c, d]: [DVec2; 2]) -> bool {
    let apart = a.max(b).cmplt(c.min(d)).any() || c.max(d).cmplt(a.min(b)).any();
    let splits = |[a, b]: [DVec2; 2], [c, d]: [DVec2; 2]| {
        (b - a).perp_dot(c - a) * (b - a).perp_dot(d - a) <= 0.0
    };
    !apart && splits([a, b], [c, d]) && splits([c, d], [a, b])
}

fn sides(way: &[DVec2]) -> impl Iterator<Item = [DVec2; 2]> + '_ {
    way.iter().zip(way.iter().cycle().skip(1)).map(|(a, b)| [*a, *b])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ways_know_their_inside_and_their_crossings() {
        let square = [(0.0, 0.0), (1.0, 0.0), (1.0, 1.0), (0.0, 1.0)].map(DVec2::from);
        assert!(contains(&square, DVec2::new(0.3, 0.7)));
        assert!(!contains(&square, DVec2::new(1.3, 0.7)));
        assert!((distance(&square, DVec2::new(0.3, 0.9)) - 0.1).abs() < 1e-15);
        assert_eq!(crossing(&square), None);
        let bow = [(0.0, 0.0), (1.0, 1.0), (1.0, 0.0), (0.0, 1.0)].map(DVec2::from);
        assert_eq!(crossing(&bow), Some([0, 2]));
    }
}
