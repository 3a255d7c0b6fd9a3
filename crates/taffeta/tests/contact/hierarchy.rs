//! The hierarchy of boxes finds exactly what comparing everything with everything finds.

use crate::common::{Dice, on_threads};
use glam::DVec3;
use taffeta::collision::{Bounds, Hierarchy, Pairs};

/// Boxes of all sizes around points in a cube, denser with `crowd`.
fn boxes(dice: &mut Dice, count: usize, crowd: f64) -> Vec<Bounds> {
    let one = |dice: &mut Dice| {
        let centre = dice.vector();
        Bounds::around([centre]).grown(crowd * dice.number().abs())
    };
    (0..count).map(|_| one(dice)).collect()
}

fn centres(boxes: &[Bounds]) -> Vec<DVec3> {
    boxes.iter().map(|b| (b.low + b.high) / 2.0).collect()
}

fn tree(rest: &[DVec3], boxes: &[Bounds]) -> Hierarchy {
    let mut tree = Hierarchy::new(rest);
    tree.refit(|i| boxes[i as usize]);
    tree
}

fn sorted(pairs: &Pairs) -> Vec<[u32; 2]> {
    let mut found = pairs.found().to_vec();
    found.sort_unstable();
    found
}

fn overlapping(a: &[Bounds], b: &[Bounds]) -> Vec<[u32; 2]> {
    let pairs = (0..a.len()).flat_map(|i| (0..b.len()).map(move |j| [i as u32, j as u32]));
    pairs.filter(|[i, j]| a[*i as usize].overlaps(&b[*j as usize])).collect()
}

#[test]
fn every_pair_is_found_once() {
    let dice = &mut Dice(11);
    let mut pairs = Pairs::default();
    let mut all = 0;
    for count in (0..40).chain([100, 333, 1000]) {
        for crowd in [0.01, 0.1, 1.0] {
            let first = boxes(dice, count, crowd);
            // The tree was built where things were; they have moved since.
            let rest = centres(&boxes(dice, count, crowd));
            let a = tree(&rest, &first);
            a.self_pairs(&mut pairs);
            let mut expected = overlapping(&first, &first);
            expected.retain(|[i, j]| i < j);
            assert_eq!(sorted(&pairs), expected, "{count} boxes");
            let second = boxes(dice, 57, crowd);
            let b = tree(&centres(&second), &second);
            a.pairs_with(&b, &mut pairs);
            assert_eq!(sorted(&pairs), overlapping(&first, &second), "{count} with 57");
            all += pairs.found().len();
        }
    }
    assert!(all > 10_000);
}

#[test]
fn one_box_finds_what_overlaps_it() {
    let dice = &mut Dice(12);
    let all = boxes(dice, 500, 0.1);
    let tree = tree(&centres(&all), &all);
    for probe in boxes(dice, 100, 0.2) {
        let mut found = Vec::new();
        tree.overlapping(&probe, &mut |i| found.push(i));
        found.sort_unstable();
        let expected: Vec<u32> = (0..500).filter(|&i| all[i as usize].overlaps(&probe)).collect();
        assert_eq!(found, expected);
    }
}

/// Large enough to be shared among threads: the same pairs in the same order.
#[test]
fn threads_do_not_change_the_order() {
    let dice = &mut Dice(13);
    let all = boxes(dice, 20_000, 0.02);
    let found = |threads: usize| {
        on_threads(threads, || {
            let tree = tree(&centres(&all), &all);
            let mut pairs = Pairs::default();
            tree.self_pairs(&mut pairs);
            pairs.found().to_vec()
        })
    };
    let alone = found(1);
    assert!(alone.len() > 1000);
    for threads in [2, 4, 8] {
        assert!(found(threads) == alone, "{threads} threads");
    }
}

#[test]
fn things_at_one_place_make_a_tree_too() {
    let rest = vec![DVec3::ONE; 1000];
    let all = vec![Bounds::around([DVec3::ONE]); 1000];
    let mut pairs = Pairs::default();
    tree(&rest, &all).self_pairs(&mut pairs);
    assert_eq!(pairs.found().len(), 1000 * 999 / 2);
}
