//! Where the nodes of a scene are.

use std::collections::BTreeMap;

use glam::{DMat4, DQuat, DVec3, Quat, Vec3};
use gltf::scene::Transform;
use gltf::{Document, Node};

use super::super::{Fault, FormatError};
use super::animation::Moved;

/// The transform of every node of the default scene to the world, by node number.
///
/// A file without scenes has all its nodes in one.
pub(super) fn places(document: &Document) -> Result<Vec<Option<DMat4>>, FormatError> {
    places_moved(document, &BTreeMap::new())
}

/// The same with nodes that an animation has moved.
pub(super) fn places_moved(
    document: &Document,
    moved: &BTreeMap<usize, Moved>,
) -> Result<Vec<Option<DMat4>>, FormatError> {
    let mut places = vec![None; document.nodes().len()];
    let mut to_visit: Vec<(Node, DMat4)> =
        roots(document).into_iter().map(|node| (node, DMat4::IDENTITY)).collect();
    while let Some((node, parent)) = to_visit.pop() {
        let place = parent * local(&node, moved.get(&node.index()));
        if places[node.index()].replace(place).is_some() {
            let what = "it has two parents, or is its own ancestor";
            return Err(Fault::malformed(what).in_part(format!("node {}", node.index())));
        }
        to_visit.extend(node.children().map(|child| (child, place)));
    }
    Ok(places)
}

/// The nodes of the default scene, each behind the one above it, with the number of that; for a scene that
/// [`places`] found to be trees.
pub(super) fn in_order(document: &Document) -> Vec<(Node<'_>, Option<usize>)> {
    let mut order = Vec::new();
    let mut to_visit: Vec<(Node, Option<usize>)> =
        roots(document).into_iter().map(|node| (node, None)).collect();
    while let Some((node, parent)) = to_visit.pop() {
        to_visit.extend(node.children().map(|child| (child, Some(node.index()))));
        order.push((node, parent));
    }
    order
}

fn roots(document: &Document) -> Vec<Node<'_>> {
    match document.default_scene().or_else(|| document.scenes().next()) {
        Some(scene) => scene.nodes().collect(),
        None => {
            let mut is_child = vec![false; document.nodes().len()];
            for child in document.nodes().flat_map(|node| node.children()) {
                is_child[child.index()] = true;
            }
            document.nodes().filter(|node| !is_child[node.index()]).collect()
        }
    }
}

fn local(node: &Node, moved: Option<&Moved>) -> DMat4 {
    let transform = node.transform();
    if let (Transform::Matrix { matrix }, None) = (&transform, moved) {
        return DMat4::from_cols_array_2d(&matrix.map(|column| column.map(f64::from)));
    }
    let (translation, _, scale) = transform.decomposed();
    let vector = |values: [f32; 3]| -> DVec3 { Vec3::from_array(values).as_dvec3() };
    let own = turn(node);
    let unmoved = Moved::default();
    let moved = moved.unwrap_or(&unmoved);
    DMat4::from_translation(moved.translation.unwrap_or(vector(translation)))
        * DMat4::from_quat(moved.rotation.unwrap_or(own))
        * DMat4::from_scale(moved.scale.unwrap_or(vector(scale)))
}

/// How a node is turned against the one above it, in the file.
pub(super) fn turn(node: &Node) -> DQuat {
    let (_, rotation, _) = node.transform().decomposed();
    Quat::from_array(rotation).as_dquat()
}
