//! Cloth that is at rest as its texture coordinates lie: what programs for garments export.
//!
//! Each face was cut from flat cloth as the texture coordinates of its corners say; what hangs together
//! in their plane is a chart, and where charts meet there is a seam. A face whose texture coordinates run
//! clockwise is drawn from behind: turned over it is the same cloth.

use glam::DVec2;
use taffeta::Mesh;
use taffeta::mesh::Faces;

/// By so many times the cut may differ from the mesh in size before that is odd.
const ODD: f64 = 1.25;

/// A triangle counts as having no area when its height is below this fraction of its longest side.
const THINNEST: f64 = 1e-6;

/// How a mesh was cut.
pub struct LaidFlat {
    /// Where each corner of each face was then \[m\].
    pub cut: Vec<DVec2>,
    /// What the user should know about it.
    pub notes: Vec<String>,
}

/// How a mesh that is fit to be cloth was cut, by its texture coordinates, of so many metres if that is said.
pub fn lay_flat(mesh: &Mesh, scale: Option<f64>) -> Result<LaidFlat, String> {
    let uvs = mesh.faces.all_uvs();
    if uvs.is_empty() {
        return Err(
            "`rest = \"uv\"` needs texture coordinates, and the mesh has none for all of its \
                    faces: export it with them, or leave `rest` out"
                .into(),
        );
    }
    let mut cut: Vec<DVec2> = uvs.iter().map(|uv| *uv * scale.unwrap_or(1.0)).collect();
    let mirrored = turn_over(&mesh.faces, &mut cut);
    refuse_flat(&mesh.faces, &cut)?;
    let charts = charts(mesh, &cut);
    let mut notes = vec![told(mesh, &charts)];
    notes.extend(tell_mirrored(&charts, &mirrored));
    notes.extend(odd_size(&charts, scale)?);
    notes.extend(odd_charts(&charts));
    notes.extend(odd_stretch(mesh, &cut));
    Ok(LaidFlat { cut, notes })
}

/// Where the corners of each face are in a list of all corners.
fn ranges(faces: &Faces) -> impl Iterator<Item = std::ops::Range<usize>> + '_ {
    let mut start = 0;
    faces.iter().map(move |corners| {
        start += corners.len();
        start - corners.len()..start
    })
}

fn area(way: &[DVec2]) -> f64 {
    let next = way.iter().cycle().skip(1);
    0.5 * way.iter().zip(next).map(|(a, b)| (*a - way[0]).perp_dot(*b - way[0])).sum::<f64>()
}

/// Turns over the faces that are drawn from behind, and tells which.
fn turn_over(faces: &Faces, cut: &mut [DVec2]) -> Vec<bool> {
    let turn = |range: std::ops::Range<usize>| {
        let way = &mut cut[range];
        let mirrored = area(way) < 0.0;
        if mirrored {
            way.iter_mut().for_each(|at| at.y = -at.y);
        }
        mirrored
    };
    ranges(faces).map(turn).collect()
}

/// Refuses faces of which nothing was cut, or that fold over themselves.
fn refuse_flat(faces: &Faces, cut: &[DVec2]) -> Result<(), String> {
    let good = |way: &[DVec2]| {
        (2..way.len()).all(|i| {
            let (a, b) = (way[i - 1] - way[0], way[i] - way[0]);
            let longest = a.length_squared().max(b.length_squared()).max(a.distance_squared(b));
            a.perp_dot(b) > THINNEST * longest
        })
    };
    let bad: Vec<usize> = ranges(faces)
        .enumerate()
        .filter_map(|(face, range)| (!good(&cut[range])).then_some(face))
        .collect();
    let Some(first) = bad.first() else { return Ok(()) };
    Err(format!(
        "{} of {} faces have texture coordinates without area, or that fold over, the first of them face \
         {first}: `rest = \"uv\"` cannot tell how they were cut; unfold the mesh again, or leave `rest` out",
        bad.len(),
        faces.len()
    ))
}

/// What hangs together in the plane of the texture.
struct Chart {
    /// Its faces, in their order.
    faces: Vec<usize>,
    /// How large it was cut \[m²\].
    cut: f64,
    /// How large it is \[m²\].
    is: f64,
}

impl Chart {
    /// How many times as large it is as it was cut, in length.
    fn grown(charts: &[Self]) -> f64 {
        let sum = |area: fn(&Self) -> f64| charts.iter().map(area).sum::<f64>();
        (sum(|chart| chart.is) / sum(|chart| chart.cut)).sqrt()
    }
}

fn charts(mesh: &Mesh, cut: &[DVec2]) -> Vec<Chart> {
    let faces = &mesh.faces;
    let uv = |face: usize, vertex: u32| {
        let corner = faces.corners(face).iter().position(|corner| *corner == vertex);
        corner.zip(faces.corner_uvs(face)).map(|(corner, uvs)| uvs[corner])
    };
    let mut leader: Vec<usize> = (0..faces.len()).collect();
    fn led(leader: &mut [usize], mut face: usize) -> usize {
        while leader[face] != face {
            leader[face] = leader[leader[face]];
            face = leader[face];
        }
        face
    }
    for edge in faces.edges() {
        let [a, b] = edge.faces[..] else { continue };
        let [a, b] = [a, b].map(|face| face as usize);
        if edge.ends.iter().all(|&end| uv(a, end) == uv(b, end)) {
            let [a, b] = [led(&mut leader, a), led(&mut leader, b)];
            leader[a.max(b)] = a.min(b);
        }
    }
    let mut charts: Vec<Chart> = Vec::new();
    let mut number = vec![usize::MAX; faces.len()];
    for (face, range) in ranges(faces).enumerate() {
        let first = led(&mut leader, face);
        if first == face {
            number[face] = charts.len();
            charts.push(Chart { faces: Vec::new(), cut: 0.0, is: 0.0 });
        }
        let chart = &mut charts[number[first]];
        chart.faces.push(face);
        chart.cut += area(&cut[range]);
        chart.is += spread(mesh, face);
    }
    charts
}

/// The area of a face in space \[m²\].
fn spread(mesh: &Mesh, face: usize) -> f64 {
    let at = |corner: u32| mesh.positions[corner as usize];
    let corners = mesh.faces.corners(face);
    let triangle = |i: usize| {
        let [a, b, c] = [corners[0], corners[i - 1], corners[i]].map(at);
        0.5 * (b - a).cross(c - a).length()
    };
    (2..corners.len()).map(triangle).sum()
}

fn told(mesh: &Mesh, charts: &[Chart]) -> String {
    let sum = |area: fn(&Chart) -> f64| charts.iter().map(area).sum::<f64>();
    format!(
        "cut by its texture coordinates into {} panels of {:.4} m² together; the mesh has {:.4} m² and {} \
         faces",
        charts.len(),
        sum(|chart| chart.cut),
        sum(|chart| chart.is),
        mesh.faces.len()
    )
}

fn tell_mirrored(charts: &[Chart], mirrored: &[bool]) -> Option<String> {
    let count = mirrored.iter().filter(|mirrored| **mirrored).count();
    let some = |chart: &&Chart| chart.faces.iter().any(|&face| mirrored[face]);
    let all = |chart: &&Chart| chart.faces.iter().all(|&face| mirrored[face]);
    let touched: Vec<&Chart> = charts.iter().filter(some).collect();
    let folded = touched.iter().filter(|chart| !all(chart)).count();
    let also = match folded {
        0 => String::new(),
        _ => format!("; {folded} of the panels are so in part, as if folded over: was that meant?"),
    };
    (count > 0).then(|| {
        format!(
            "{count} of {} faces, in {} of the panels, are mirrored in the texture: taken as drawn from \
             behind{also}",
            mirrored.len(),
            touched.len()
        )
    })
}

/// Refuses texture coordinates in a unit of which nothing is said, and tells of one that seems wrong.
fn odd_size(charts: &[Chart], scale: Option<f64>) -> Result<Option<String>, String> {
    let grown = Chart::grown(charts);
    if !is_odd(grown) {
        return Ok(None);
    }
    let fits = short(scale.unwrap_or(1.0) * grown);
    let what = format!("the mesh is {} as large as its texture coordinates say", times(grown));
    match scale {
        None => Err(format!(
            "{what}, if they are in metres: `uv_scale = {fits}` would fit; if they are metres and it is \
             so, `uv_scale = 1`"
        )),
        Some(scale) => Ok(Some(format!(
            "{what} with `uv_scale = {scale}`: it starts strained by that much; `uv_scale = {fits}` \
             would fit"
        ))),
    }
}

/// Tells of charts that were scaled each by itself.
fn odd_charts(charts: &[Chart]) -> Option<String> {
    let grown = charts.iter().map(|chart| (Chart::grown(std::slice::from_ref(chart)), chart));
    let mut grown: Vec<(f64, &Chart)> = grown.collect();
    grown.sort_by(|a, b| a.0.total_cmp(&b.0));
    let ((least, small), (most, large)) = (grown.first()?, grown.last()?);
    is_odd(most / least).then(|| {
        format!(
            "panels are cut to different scales: the mesh is {} as large as that of face {} was cut, and \
             {} as large as that of face {}; were charts packed each at its own size?",
            times(*least),
            small.faces[0],
            times(*most),
            large.faces[0]
        )
    })
}

/// Tells of texture coordinates that were stretched one way.
fn odd_stretch(mesh: &Mesh, cut: &[DVec2]) -> Option<String> {
    let mut sums = [0.0; 2];
    for (face, range) in ranges(&mesh.faces).enumerate() {
        let (corners, way) = (mesh.faces.corners(face), &cut[range]);
        for i in 2..corners.len() {
            let [a, b, c] = [0, i - 1, i].map(|k| mesh.positions[corners[k] as usize]);
            let (d1, d2, e1, e2) = (b - a, c - a, way[i - 1] - way[0], way[i] - way[0]);
            // BW98 eq. 9: how far u and v reach in space; its square, weighted by the area.
            let double = e1.perp_dot(e2);
            sums[0] += (d1 * e2.y - d2 * e1.y).length_squared() / double;
            sums[1] += (d2 * e1.x - d1 * e2.x).length_squared() / double;
        }
    }
    let stretch = (sums[0] / sums[1]).sqrt();
    is_odd(stretch).then(|| {
        format!(
            "the mesh is {} as long along u as along v, against what its texture coordinates say: were \
             they stretched to fill a picture?",
            times(stretch)
        )
    })
}

/// As many digits of it as are worth writing.
fn short(number: f64) -> f64 {
    format!("{number:.3e}").parse().unwrap_or(number)
}

fn is_odd(times: f64) -> bool {
    !(1.0 / ODD..=ODD).contains(&times)
}

fn times(times: f64) -> String {
    format!("{times:.3} times")
}
