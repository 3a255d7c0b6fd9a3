//! Against brute force: random motions, random deviations.

use glam::DVec3;

use super::narrow::kept;
use super::*;
use crate::geometry::collision::Pairing;
use crate::geometry::collision::ccd::impact;
use crate::geometry::mesh::{Mesh, Sheet};

/// Numbers in −1 … 1 that look random (splitmix64).
fn vectors(seed: &mut u64) -> DVec3 {
    let mut number = || {
        *seed = seed.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (*seed ^ (*seed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((z ^ (z >> 31)) >> 11) as f64 / (1u64 << 52) as f64 - 1.0
    };
    DVec3::new(number(), number(), number())
}

fn every_pair(surface: &Surface) -> Vec<Pair> {
    let (vertices, edges) = (&surface.vertices, &surface.edges);
    let corners = vertices.iter().flat_map(|&v| surface.triangles.iter().map(move |t| (v, *t)));
    let first = corners
        .filter(|(v, t)| !t.contains(v))
        .map(|(v, [a, b, c])| Pair { pairing: Pairing::VertexTriangle, particles: [v, a, b, c] });
    let both = (0..edges.len()).flat_map(|i| (i + 1..edges.len()).map(move |j| (i, j)));
    let apart = both.filter(|(i, j)| edges[*i].iter().all(|end| !edges[*j].contains(end)));
    let second = apart.map(|(i, j)| Pair {
        pairing: Pairing::EdgeEdge,
        particles: [edges[i][0], edges[i][1], edges[j][0], edges[j][1]],
    });
    first.chain(second).collect()
}

/// Two sheets of 4 × 4 particles, one above the other, of two pieces.
fn two_sheets() -> (Mesh, Surface) {
    let lower = Sheet { width: 1.0, height: 1.0, columns: 4, rows: 4 }.mesh();
    let mut mesh = lower.clone();
    for corners in lower.faces.iter() {
        mesh.faces.push(&corners.iter().map(|corner| corner + 16).collect::<Vec<_>>());
    }
    mesh.positions.extend(lower.positions.iter().map(|p| *p + DVec3::Y * 0.3));
    let surface = Surface::new(&mesh.faces, 32);
    (mesh, surface)
}

/// What detection promises: while `covers` holds, no pair that is not listed touches, or comes
/// nearer than it keeps with its closest points inside. Motions are random; so are ways that leave
/// the predicted one, slightly or too far.
fn check_lists(mesh: &Mesh, thickness: f64, rounds: usize, sizes: [f64; 3]) -> [usize; 3] {
    let surface = Surface::new(&mesh.faces, mesh.positions.len());
    let all = every_pair(&surface);
    let kept: Vec<f64> =
        all.iter().map(|pair| kept(&surface, &mesh.positions, thickness, pair)).collect();
    let mut cache = PairCache::new(surface, mesh.positions.clone(), thickness);
    let (seed, [mut covered, mut near, mut unlisted]) = (&mut 7, [0; 3]);
    for round in 0..rounds {
        let size = sizes[round % 3];
        let fall = vectors(seed) * 0.3;
        let bend = vectors(seed).x * 9.0;
        let place = |p: &DVec3| {
            // Rolled up more or less, which keeps neighbours smooth, and then shaken.
            let (sin, cos) = libm::sincos(bend * p.x);
            let rolled = DVec3::new(sin / bend, p.y + (1.0 - cos) / bend, p.z);
            rolled + vectors(seed) * size
        };
        let x: Vec<DVec3> = mesh.positions.iter().map(place).collect();
        let v: Vec<DVec3> = x.iter().map(|_| vectors(seed) * size).collect();
        cache.detect(&x, &v, 0.5, |_| false);
        let listed = |pair: &Pair| cache.pairs().binary_search_by_key(pair, |n| n.pair).is_ok();
        for elapsed in [0.0, 0.2, 0.5] {
            let off = [0.5, 1.1][round % 2];
            let leave = |i: usize| vectors(seed) * off * cache.allowances[i];
            let way = |i: usize| x[i] + (v[i] + fall) * elapsed;
            let now: Vec<DVec3> =
                (0..x.len()).map(leave).enumerate().map(|(i, o)| way(i) + o).collect();
            if !cache.covers(&now, elapsed) {
                continue;
            }
            covered += 1;
            for (pair, kept) in all.iter().zip(&kept) {
                let closest = pair.pairing.closest(&pair.gather(&now));
                let distance = closest.apart.length();
                let most = if closest.inside { *kept } else { TOUCHING * kept };
                near += usize::from(distance < most);
                let listed = listed(pair);
                unlisted += usize::from(!listed);
                assert!(distance > most || listed, "round {round}: {pair}, {distance} of {kept}");
            }
        }
        assert!(!cache.covers(&x, 0.6), "beyond the horizon");
    }
    [covered, near, unlisted]
}

#[test]
fn while_a_list_covers_a_way_nothing_else_comes_near() {
    let (mesh, _) = two_sheets();
    let [covered, near, unlisted] = check_lists(&mesh, 0.06, 1500, [0.02, 0.1, 0.4]);
    assert!(covered > 1500 && near > 10_000 && unlisted > 100_000, "{covered} {near} {unlisted}");
}

/// Of cloth thicker than its edges are long, where neighbours are what is nearest.
#[test]
fn while_a_list_of_fine_cloth_covers_a_way_nothing_else_comes_near() {
    let mesh = Sheet { width: 1.0, height: 1.0, columns: 9, rows: 8 }.mesh();
    let [covered, near, unlisted] = check_lists(&mesh, 0.2, 150, [1e-3, 0.02, 0.06]);
    assert!(covered > 150 && near > 1000 && unlisted > 1_000_000, "{covered} {near} {unlisted}");
}

/// The same where a few particles leave their ways, for good and farther than they may, and what is
/// missing is found in every step; for all of the step.
fn check_followed(mesh: &Mesh, thickness: f64, rounds: usize, sizes: [f64; 3]) -> [usize; 4] {
    let surface = Surface::new(&mesh.faces, mesh.positions.len());
    let all = every_pair(&surface);
    let kept: Vec<f64> =
        all.iter().map(|pair| kept(&surface, &mesh.positions, thickness, pair)).collect();
    let mut cache = PairCache::new(surface, mesh.positions.clone(), thickness);
    let (seed, [mut followed, mut added, mut near, mut unlisted]) = (&mut 5, [0; 4]);
    let (mut measured, mut again) = (Vec::new(), Vec::new());
    for round in 0..rounds {
        let size = sizes[round % 3];
        let (fall, bend) = (vectors(seed) * 0.3, vectors(seed).x * 9.0);
        let place = |p: &DVec3| {
            let (sin, cos) = libm::sincos(bend * p.x);
            DVec3::new(sin / bend, p.y + (1.0 - cos) / bend, p.z) + vectors(seed) * size
        };
        let x: Vec<DVec3> = mesh.positions.iter().map(place).collect();
        let mut v: Vec<DVec3> = x.iter().map(|_| vectors(seed) * size).collect();
        cache.detect(&x, &v, 0.5, |_| false);
        let (mut from, mut elapsed) = (x, 0.0);
        while elapsed < 0.45 {
            // One of twenty turns elsewhere.
            for v in &mut v {
                let (dice, other) = (vectors(seed).x, vectors(seed) * size);
                *v = if dice > 0.9 { other } else { *v };
            }
            let allowances = cache.allowances.clone();
            let step =
                |i: usize| from[i] + (v[i] + fall) * 0.1 + vectors(seed) * 0.05 * allowances[i];
            let to: Vec<DVec3> = (0..from.len()).map(step).collect();
            let before = cache.pairs().len();
            cache.measure(&from, 0.01, &mut measured);
            let known = (&mut measured, 0.01);
            if !cache.follow([&from, &to], [elapsed, elapsed + 0.1], known, |_| false) {
                break;
            }
            cache.measure(&from, 0.01, &mut again);
            assert!(measured == again, "what stays, and what is new, is measured");
            assert!(cache.pairs().is_sorted_by_key(|near| near.pair));
            followed += 1;
            added += usize::from(cache.pairs().len() > before);
            for share in [0.0, 0.3, 0.7, 1.0] {
                let now: Vec<DVec3> =
                    from.iter().zip(&to).map(|(from, to)| from.lerp(*to, share)).collect();
                for (pair, kept) in all.iter().zip(&kept) {
                    let listed = cache.pairs().binary_search_by_key(pair, |n| n.pair);
                    if let Ok(at) = listed {
                        assert_eq!(cache.pairs()[at].kept, *kept);
                        continue;
                    }
                    let closest = pair.pairing.closest(&pair.gather(&now));
                    let most = if closest.inside { *kept } else { TOUCHING * kept };
                    unlisted += 1;
                    near += usize::from(closest.apart.length() < 2.0 * most);
                    assert!(closest.apart.length() > most, "round {round}, {elapsed} s: {pair}");
                }
            }
            (from, elapsed) = (to, elapsed + 0.1);
        }
    }
    [followed, added, near, unlisted]
}

#[test]
fn while_a_list_is_followed_nothing_else_comes_near() {
    let (mesh, _) = two_sheets();
    let [followed, added, near, unlisted] = check_followed(&mesh, 0.06, 600, [0.02, 0.1, 0.4]);
    assert!(followed > 600 && added > 300 && near > 500, "{followed} {added} {near} {unlisted}");
    let mesh = Sheet { width: 1.0, height: 1.0, columns: 9, rows: 8 }.mesh();
    let [followed, added, near, unlisted] = check_followed(&mesh, 0.2, 60, [1e-3, 0.02, 0.06]);
    assert!(followed > 60 && added > 10 && near > 50, "{followed} {added} {near} {unlisted}");
}

#[test]
fn lists_say_what_pairs_keep_and_leave_out_what_they_should() {
    let (mesh, surface) = two_sheets();
    let mut cache = PairCache::new(surface.clone(), mesh.positions.clone(), 0.2);
    let still = vec![DVec3::ZERO; 32];
    let near: Vec<DVec3> = mesh.positions.iter().map(|p| *p * DVec3::new(1.0, 0.1, 1.0)).collect();
    cache.detect(&near, &still, 1.0, |_| false);
    let all = cache.pairs().to_vec();
    assert!(all.iter().any(|near| near.kept == 0.2) && all.is_sorted_by_key(|near| near.pair));
    for NearPair { pair, kept: found, .. } in &all {
        assert_eq!(*found, kept(&surface, &mesh.positions, 0.2, pair));
    }
    cache.detect(&near, &still, 1.0, |pair| pair.particles.contains(&5));
    let left: Vec<NearPair> =
        all.iter().filter(|near| !near.pair.particles.contains(&5)).copied().collect();
    assert!(left.len() < all.len());
    assert_eq!(cache.pairs(), left);
    // A flat sheet alone has nothing near itself.
    cache.detect(&mesh.positions, &still, 1.0, |_| false);
    assert!(cache.pairs().is_empty());
}

/// Whatever is certified has not met, as following all pairs exactly tells; most of what has not
/// met is certified.
#[test]
fn what_is_certified_has_not_crossed() {
    let (mesh, surface) = two_sheets();
    let all = every_pair(&surface);
    let mut cache = PairCache::new(surface, mesh.positions.clone(), 0.06);
    let (seed, mut certified, mut crossed, mut alarms) = (&mut 11, 0, 0, 0);
    let (mut d0, mut d1) = (Vec::new(), Vec::new());
    for round in 0..1500 {
        let size = [0.02, 0.1, 0.2][round % 3];
        let x0: Vec<DVec3> = mesh.positions.iter().map(|p| *p + vectors(seed) * size).collect();
        let v: Vec<DVec3> = x0.iter().map(|_| vectors(seed) * size).collect();
        cache.detect(&x0, &v, 1.0, |_| false);
        let x1: Vec<DVec3> =
            x0.iter().zip(&v).map(|(x, v)| *x + *v + vectors(seed) * 0.001).collect();
        assert!(cache.covers(&x1, 1.0));
        cache.measure(&x0, 0.01, &mut d0);
        let meets = |pair: &&Pair| {
            impact(pair.pairing, [&pair.gather(&x0), &pair.gather(&x1)], 0.0).is_some()
        };
        let first = all.iter().filter(meets).min().copied();
        let certified_by = cache.certify([&x0, &x1], (&d0, 0.01), &mut d1);
        assert_eq!(certified_by.err(), first, "round {round}");
        for (near, after) in cache.pairs().iter().zip(&d1) {
            let apart = near.pair.pairing.closest(&near.pair.gather(&x1)).apart.length();
            assert!(after.distance <= apart * (1.0 + 1e-12), "never farther than it is");
        }
        match first {
            Some(_) => crossed += 1,
            None => certified += 1,
        }
        let lengths = cache.pairs().iter().zip(d0.iter().zip(&d1));
        alarms += lengths.filter(|(near, _)| meets(&&near.pair)).count();
    }
    assert!(certified > 500 && crossed > 500, "{certified} {crossed} {alarms}");
}

/// Distances are those of the closest points, or lower bounds of them.
#[test]
fn measures_are_exact_where_it_is_near_and_never_too_long() {
    let (mesh, surface) = two_sheets();
    let mut cache = PairCache::new(surface, mesh.positions.clone(), 0.06);
    let (seed, mut exact, mut out) = (&mut 3, 0, Vec::new());
    for _ in 0..300 {
        let x: Vec<DVec3> = mesh.positions.iter().map(|p| *p + vectors(seed) * 0.2).collect();
        cache.detect(&x, &vec![DVec3::ZERO; 32], 1.0, |_| false);
        let now: Vec<DVec3> = x.iter().map(|x| *x + vectors(seed) * 0.01).collect();
        cache.measure(&now, 0.01, &mut out);
        assert_eq!(out.len(), cache.pairs().len());
        for (near, found) in cache.pairs().iter().zip(&out) {
            let closest = near.pair.pairing.closest(&near.pair.gather(&now));
            let distance = closest.apart.length();
            assert!(found.distance <= distance * (1.0 + 1e-12));
            if distance < near.kept + 0.01 {
                assert!((found.distance - distance).abs() <= 1e-12);
                assert_eq!((found.inside, found.weights), (closest.inside, closest.weights));
                exact += 1;
            }
        }
    }
    assert!(exact > 1000, "{exact}");
}

#[test]
fn lists_have_the_same_bits_on_any_number_of_threads() {
    let mesh = Sheet { width: 1.0, height: 1.0, columns: 60, rows: 50 }.mesh();
    let surface = Surface::new(&mesh.faces, mesh.positions.len());
    let roll = |p: &DVec3| {
        let (sin, cos) = libm::sincos(40.0 * p.x);
        DVec3::new((0.05 + 0.02 * p.x) * cos, (0.05 + 0.02 * p.x) * sin, p.z)
    };
    let x: Vec<DVec3> = mesh.positions.iter().map(roll).collect();
    let seed = &mut 1;
    let v: Vec<DVec3> = x.iter().map(|_| vectors(seed) * 0.1).collect();
    let on = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| {
            let mut cache = PairCache::new(surface.clone(), mesh.positions.clone(), 5e-3);
            let mut out = Vec::new();
            cache.detect(&x, &v, 0.03, |_| false);
            cache.measure(&x, 1e-3, &mut out);
            (cache.pairs, out)
        })
    };
    let alone = on(1);
    assert!(alone.0.len() > 10_000, "{}", alone.0.len());
    for threads in [2, 4, 8] {
        assert!(on(threads) == alone, "{threads} threads");
    }
}

/// Nothing panics on what is not finite, or far away, or not there.
#[test]
fn nothing_panics_on_odd_input() {
    let (mesh, surface) = two_sheets();
    let mut cache = PairCache::new(surface, mesh.positions.clone(), 0.06);
    let still = vec![DVec3::ZERO; 32];
    for odd in [f64::NAN, f64::INFINITY, 1e300, -1e30] {
        let mut x = mesh.positions.clone();
        x[7] = DVec3::splat(odd);
        cache.detect(&x, &still, 1.0, |_| false);
        let mut out = Vec::new();
        cache.measure(&x, 0.01, &mut out);
        let mut after = Vec::new();
        let _ = cache.certify([&x, &x], (&out, 0.01), &mut after);
        assert!(cache.covers(&x, 1.0) == (odd == 1e300 || odd == -1e30));
    }
    let mut nothing =
        PairCache::new(Surface::new(&crate::geometry::mesh::Faces::new(), 0), Vec::new(), 1.0);
    nothing.detect(&[], &[], 1.0, |_| false);
    assert!(nothing.pairs().is_empty() && nothing.covers(&[], 0.0));
}
