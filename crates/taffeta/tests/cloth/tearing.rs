//! Tearing: when it begins, that it goes on yarn by yarn, and that it is the same every time.

use glam::DVec3;
use taffeta::woven::{Cut, Strength, Tearing, Weave, Woven};
use taffeta::{
    Ease, ExplicitEuler, Fabric, ImplicitEuler, Integrator, Limiter, Loads, Model, Motion,
    MotionKey, Newton, Pin, Setup, Sheet, Simulation, Solver, StepLimits, StrainLimits, Sweeps,
};

const SPACING: f64 = 1.0 / 1200.0;

/// How a strip is pulled apart.
struct Pull {
    columns: u32,
    rows: u32,
    tearing: Tearing,
    /// How the right end moves away \[m/s\].
    speed: DVec3,
}

impl Pull {
    fn sheet(&self) -> Sheet {
        let along = |n: u32| f64::from(n - 1) * SPACING;
        let (columns, rows) = (self.columns, self.rows);
        Sheet { width: along(columns), height: along(rows), columns, rows }
    }

    /// A weightless strip, its left end held, its right end pulled.
    fn setup(&self) -> Setup {
        self.setup_of(1e-4)
    }

    /// The same for explicit steps, which damping would make far shorter.
    fn explicit(&self) -> Setup {
        Setup { integrator: ExplicitEuler::default().into(), ..self.setup_of(1e-6) }
    }

    /// The same of cloth with this damping \[s\].
    fn setup_of(&self, stretch_damping: f64) -> Setup {
        let sheet = self.sheet();
        let mesh = sheet.mesh();
        let fabric = Fabric {
            density: 0.25,
            thickness: 1e-4,
            stretch: 10_000.0,
            stretch_damping,
            shear: 100.0,
            bend: 0.0,
            ..Fabric::default()
        };
        let model = Model::mass_spring(&mesh, &fabric).unwrap();
        let weave = (Weave::plain(), 1e-4);
        let woven = Woven::new(model.clone(), &sheet, weave, self.tearing.clone()).unwrap();
        let key = |time: f64, offset: DVec3| MotionKey { time, offset, ..MotionKey::default() };
        let motion = Motion {
            keys: vec![key(0.0, DVec3::ZERO), key(10.0, self.speed * 10.0)],
            ease: Ease::Linear,
            ..Motion::still()
        };
        let right = Pin { motion, ..Pin::fixed(sheet.edge(taffeta::mesh::SheetEdge::Right)) };
        Setup {
            pins: vec![Pin::fixed(sheet.edge(taffeta::mesh::SheetEdge::Left)), right],
            loads: Loads { gravity: DVec3::ZERO, ..Loads::default() },
            woven: Some(woven),
            integrator: implicit(None),
            step: StepLimits { max: 1.0 / 240.0, max_stretch_change: 0.5, ..StepLimits::default() },
            ..Setup::new(model, mesh.positions)
        }
    }
}

fn implicit(newton: Option<Newton>) -> Integrator {
    Integrator::Implicit(ImplicitEuler { solver: Solver::Direct, newton })
}

fn strip() -> Pull {
    let tearing = Tearing { strength: Strength::Force([0.5, 0.6]), ..Tearing::default() };
    Pull { columns: 16, rows: 8, tearing, speed: DVec3::X * 0.004 }
}

/// The force on the right end along x \[N\].
fn force(simulation: &Simulation, columns: u32) -> f64 {
    let right = |particle: &(u32, DVec3)| particle.0 % columns == columns - 1;
    simulation.pin_forces().filter(right).map(|(_, force)| force.x).sum()
}

fn torn(simulation: &Simulation) -> u32 {
    simulation.frays().unwrap().torn
}

/// The load at which the first yarn tears \[N\].
fn onset(setup: Setup, columns: u32) -> f64 {
    let h = setup.step.max;
    let mut simulation = Simulation::new(setup).unwrap();
    let mut load = 0.0;
    for step in 1..4000 {
        simulation.advance_to(f64::from(step) * h).unwrap();
        if torn(&simulation) > 0 {
            return load;
        }
        load = f64::max(load, force(&simulation, columns));
    }
    panic!("nothing tore; the load was {load} N");
}

#[test]
fn tearing_begins_at_the_same_load_for_any_step_and_solver() {
    let pull = strip();
    let with = |integrator: Integrator, steps: f64| {
        let mut setup = pull.setup();
        setup.integrator = integrator;
        setup.step.max = 1.0 / steps;
        onset(setup, pull.columns)
    };
    let newton = Newton { tolerance: 1e-4, max_iterations: 50 };
    let loads = [
        with(implicit(None), 240.0),
        with(implicit(None), 120.0),
        with(implicit(None), 480.0),
        with(implicit(Some(newton)), 240.0),
        onset(pull.explicit(), pull.columns),
    ];
    // Six yarns and the two at the borders, which are half as stiff and bear half as much, share
    // the load; the weakest place of all tears at 0.5 N or a little more.
    assert!(loads[0] > 0.93 * 7.0 * 0.5 && loads[0] < 7.0 * 0.55, "{loads:?}");
    for load in loads {
        assert!((load / loads[0] - 1.0).abs() < 0.05, "{loads:?}");
    }
}

/// ISO 13937: the two tongues of a strip that is slit from its end are pulled apart. Yarn after yarn
/// tears, and the force falls with each.
#[test]
fn a_tongue_tears_yarn_by_yarn() {
    let (columns, rows) = (24, 16);
    // The slit runs along the warp from the right end: the weft tears.
    let sheet = Pull { columns, rows, ..strip() }.sheet();
    let model = Model::mass_spring(&sheet.mesh(), &Fabric::default()).unwrap();
    let is_slit = |ends: [u32; 2]| {
        ends[0] / columns == rows / 2 - 1
            && ends[1] / columns == rows / 2
            && ends[0] % columns >= columns - 8
    };
    let slit: Vec<u32> =
        (0u32..).zip(model.structural()).filter(|(_, s)| is_slit(s.ends)).map(|(e, _)| e).collect();
    assert_eq!(slit.len(), 8);
    let cut = Cut { time: 0.0, edges: slit };
    let strength = Strength::Force([0.5, 0.55]);
    let tearing = Tearing { strength, cuts: vec![cut], grip: 0.2, ..Tearing::default() };
    let pull = Pull { columns, rows, tearing, speed: DVec3::Y * 0.02 };
    let mut setup = pull.setup();
    // One tongue goes up, the other down.
    let (upper, lower) = setup.pins[1].particles.iter().partition(|p| **p / columns < rows / 2);
    let down = Motion {
        keys: setup.pins[1]
            .motion
            .keys
            .iter()
            .map(|k| MotionKey { offset: -k.offset, ..*k })
            .collect(),
        ..setup.pins[1].motion.clone()
    };
    setup.pins = vec![
        Pin { particles: upper, ..setup.pins[1].clone() },
        Pin { particles: lower, motion: down, ..setup.pins[1].clone() },
    ];
    let mut simulation = Simulation::new(setup).unwrap();
    let (mut curve, mut counts) = (Vec::new(), Vec::new());
    for step in 1..=240 {
        simulation.advance_to(f64::from(step) / 240.0).unwrap();
        let up = |p: &(u32, DVec3)| p.0 / columns < rows / 2;
        curve.push(simulation.pin_forces().filter(up).map(|(_, f)| f.y).sum::<f64>());
        counts.push(torn(&simulation));
    }
    let total = counts.last().unwrap() - counts[0];
    assert!(total >= 6, "{total} yarns tore");
    // One by one: few steps tear two.
    let tearing = counts.windows(2).filter(|pair| pair[1] > pair[0]).count() as u32;
    assert!(2 * tearing > total, "{total} yarns tore in {tearing} steps: {counts:?}");
    // A saw-tooth: it climbs to a peak before a yarn tears, and falls after.
    let peaks = curve.windows(3).filter(|w| w[1] > w[0] && w[1] >= w[2] && w[1] > 0.2).count();
    assert!(peaks as u32 >= total / 2, "{peaks} peaks for {total} yarns: {curve:.2?}");
}

#[test]
fn a_run_that_goes_on_from_a_snapshot_tears_the_same() {
    for explicit in [false, true] {
        let mut setup = if explicit { strip().explicit() } else { strip().setup() };
        setup.step.max = 1.0 / 480.0;
        if explicit {
            setup.limits = Some(StrainLimits { extension: 0.2, compression: None });
            setup.limiter = Limiter::Sweeps(Sweeps::default());
        }
        let mut one = Simulation::new(setup.clone()).unwrap();
        let mut torn_at = 0.0;
        while torn(&one) < 3 {
            torn_at += 1.0 / 120.0;
            assert!(torn_at < 3.0, "nothing tore");
            one.advance_to(torn_at).unwrap();
        }
        let snapshot = one.snapshot();
        let mut two = Simulation::new(setup).unwrap();
        two.restore(&snapshot).unwrap();
        assert_eq!(two.snapshot(), snapshot);
        let go_on = |simulation: &mut Simulation| {
            for later in [0.05, 0.1] {
                simulation.advance_to(torn_at + later).unwrap();
            }
        };
        go_on(&mut one);
        go_on(&mut two);
        assert!(one.model().revision() > snapshot.tears.as_ref().unwrap().revision);
        assert_eq!(one.snapshot(), two.snapshot());
        // And back again.
        one.restore(&snapshot).unwrap();
        go_on(&mut one);
        assert_eq!(one.snapshot(), two.snapshot());
    }
}

#[test]
fn nothing_of_torn_cloth_is_lost() {
    let mut setup = strip().setup();
    setup.loads = Loads::default();
    setup.pins[1].motion.keys[1].offset = DVec3::X * 0.1;
    let mass: f64 = setup.model.masses().iter().sum();
    let mut simulation = Simulation::new(setup).unwrap();
    simulation.advance_to(1.0).unwrap();
    let frays = simulation.frays().unwrap();
    assert!(frays.pieces >= 2 && frays.torn >= 8 && frays.ends == 2 * frays.torn, "{frays:?}");
    assert!(frays.mean_length >= 0.5 * SPACING && frays.split > 0, "{frays:?}");
    let masses = simulation.model().masses();
    assert!((masses.iter().sum::<f64>() / mass - 1.0).abs() < 1e-13);
    assert_eq!(masses.len(), simulation.state().positions.len());
}

#[test]
fn strong_yarns_do_not_tear_and_the_weave_stays_whole() {
    let mut pull = strip();
    pull.tearing.strength = Strength::Force([50.0, 60.0]);
    let mut simulation = Simulation::new(pull.setup()).unwrap();
    simulation.advance_to(0.1).unwrap();
    assert_eq!(simulation.model().revision(), 0);
    assert!(force(&simulation, pull.columns) > 1.0);
}

#[test]
fn the_all_yarn_model_hangs_like_the_base_model() {
    let middle = |all_yarn: bool| {
        let mut pull = strip();
        pull.tearing =
            Tearing { all_yarn, strength: Strength::Force([50.0, 60.0]), ..pull.tearing };
        pull.speed = DVec3::X * -0.005;
        let mut setup = pull.setup();
        setup.loads = Loads::default();
        let mut simulation = Simulation::new(setup).unwrap();
        simulation.advance_to(0.2).unwrap();
        let particle = 4 * pull.columns as usize + 8;
        simulation.state().positions[particle]
    };
    let (base, yarn) = (middle(false), middle(true));
    assert!(base.y < -5e-4, "{base}");
    assert!(base.distance(yarn) < 0.1 * base.y.abs() + 1e-4, "{base} {yarn}");
}

#[test]
fn what_cannot_tear_is_refused_with_a_reason() {
    let sheet = strip().sheet();
    let model = Model::mass_spring(&sheet.mesh(), &Fabric::default()).unwrap();
    let refused = |thickness: f64, tearing: Tearing| {
        Woven::new(model.clone(), &sheet, (Weave::plain(), thickness), tearing)
            .unwrap_err()
            .to_string()
    };
    let with = |change: &dyn Fn(&mut Tearing)| {
        let mut tearing = Tearing::default();
        change(&mut tearing);
        refused(1e-4, tearing)
    };
    assert!(refused(1e-2, Tearing::default()).contains("distance between yarns"));
    assert!(with(&|t| t.strength = Strength::Force([0.0, 1.0])).contains("above zero"));
    assert!(with(&|t| t.strength = Strength::Strain([0.2, 0.1])).contains("smaller first"));
    assert!(with(&|t| t.loosens_at = 1.0).contains("below 1"));
    assert!(with(&|t| t.slip = f64::NAN).contains("slip"));
    assert!(with(&|t| t.factors = vec![1.0; 3]).contains("factors"));
    assert!(with(&|t| t.cuts = vec![Cut { time: 0.0, edges: vec![9999] }]).contains("9999"));
    let continuum = Model::continuum(&sheet.mesh(), &Fabric::default()).unwrap();
    let error = Woven::new(continuum, &sheet, (Weave::plain(), 1e-4), Tearing::default());
    assert!(error.unwrap_err().to_string().contains("sheet of springs"));
}

/// Yarns that a hand cuts are torn at once, whatever they bear, and what hangs on them falls.
#[test]
fn what_is_cut_by_hand_comes_apart() {
    let pull = Pull { columns: 12, rows: 9, tearing: Tearing::default(), speed: DVec3::ZERO };
    let setup = pull.setup();
    let woven = setup.woven.clone().unwrap();
    let mut simulation = Simulation::new(setup).unwrap();
    simulation.advance_to(0.05).unwrap();
    let across = |edge: &u32| {
        let columns = woven.ends(*edge as usize).map(|crossing| crossing % 12);
        columns[0].min(columns[1]) == 5 && columns[0].max(columns[1]) == 6
    };
    let edges: Vec<u32> = (0..woven.edges() as u32).filter(across).collect();
    assert_eq!(edges.len(), 9);
    assert_eq!(simulation.cut(&edges), Ok(9));
    assert_eq!(simulation.cut(&edges), Ok(0), "they are cut already");
    assert!(simulation.cut(&[woven.edges() as u32]).is_err());
    let frays = simulation.frays().unwrap();
    assert_eq!((frays.torn, frays.pieces), (9, 2));
    assert!(simulation.model().revision() > 0);
    simulation.advance_to(0.1).unwrap();
    assert!(simulation.frays().unwrap().torn >= 9);
    // The same cut and the same state, whoever goes on from it.
    let before = simulation.snapshot();
    let mut other = Simulation::new(pull.setup()).unwrap();
    other.restore(&before).unwrap();
    simulation.advance_to(0.15).unwrap();
    other.advance_to(0.15).unwrap();
    assert_eq!(simulation.snapshot(), other.snapshot());
    // A changed setup of torn cloth is of the cloth as it is.
    let mut slack = pull.setup();
    slack.loads.gravity = DVec3::Y * -9.81;
    simulation.go_on_with(slack).unwrap();
    assert_eq!(simulation.frays().unwrap().pieces, other.frays().unwrap().pieces);
    simulation.advance_to(0.2).unwrap();
}
