//! Cloth that starts beyond its strain limits: by jitter, or by a mesh that is not at rest.

use taffeta::StrainLimits;

use super::{Beginning, Warning, place};

/// What rounding may add to a strain.
const ROUNDING: f64 = 1e-9;

pub fn warning(beginning: &Beginning) -> Option<Warning> {
    let setup = beginning.setup;
    setup.limits?;
    // The limits of a gauge: the most that it is extended, and compressed.
    let limits = |number: usize| {
        let limits = setup.limits_at(number).unwrap_or(StrainLimits::NONE);
        [limits.extension, limits.compression.unwrap_or(f64::INFINITY)]
    };
    let excess = |(number, strain): (usize, f64)| {
        let [extension, compression] = limits(number);
        (strain - extension).max(-strain - compression)
    };
    let gauges = setup.model.gauges();
    let over = gauges.iter().enumerate().filter_map(|(number, gauge)| {
        let strain = gauge.strain(&setup.positions);
        (excess((number, strain)) > ROUNDING).then_some((number, strain))
    });
    let mut over: Vec<(usize, f64)> = over.collect();
    over.sort_by(|a, b| excess(*b).total_cmp(&excess(*a)).then(a.0.cmp(&b.0)));
    let &(worst, strain) = over.first()?;
    let gauge = &gauges[worst];
    let (count, all) = (over.len(), gauges.len());
    let [extension, compression] = limits(worst);
    let limit = if strain > 0.0 { extension } else { -compression };
    let what = format!(
        "{count} of {all} places start beyond the strain limits, {gauge} at {} worst with {:+.3} %, \
         where {:+.3} % are allowed",
        place(setup.positions[gauge.particles[0] as usize]),
        strain * 100.0,
        limit * 100.0
    );
    let particles: Vec<u32> = over.iter().map(|(number, _)| gauges[*number].particles[0]).collect();
    Some(beginning.warn("strained", count, &particles, [what, advice(beginning, strain, limit)]))
}

fn advice(beginning: &Beginning, strain: f64, limit: f64) -> String {
    let jitter = beginning.file.first_cloth().jitter;
    if jitter > 0.0 {
        // Jitter stretches by about as much as it is large.
        let fits = jitter * (limit / strain).clamp(0.0, 1.0);
        return format!("[cloth] jitter of {jitter} m is too much: about {fits:.1e} m would do");
    }
    "the first steps pull it into its limits at once: start from the mesh at rest, or widen [limits]"
        .into()
}
