//! A simulation as Python sees it.

mod frames;

use std::cell::OnceCell;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use glam::DVec3;
use numpy::{PyArray1, PyArray2, PyArrayMethods, ToPyArray};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PySlice};
use rayon::ThreadPool;
use taffeta::Signal;
use taffeta_cli::called;

use crate::arrays::{self, rows};
use crate::driver::{Driver, Problem};
use crate::errors;
use crate::patience::patiently;
use crate::run::Run;
use crate::source::Source;
use crate::views;

pub use frames::{Frame, Frames};

/// Cloth in motion. `Scene.build` makes one.
///
/// Arrays of the state (`positions`, `velocities`, `tensions`) are read-only views without a copy.
/// They show the moment they were taken at, also when the simulation has moved on or is gone.
///
/// Several simulations may run in several threads: the interpreter is free while one computes.
/// Ctrl-C stops within a moment, and leaves the simulation at the last whole frame.
#[pyclass(frozen, module = "taffeta")]
pub struct Simulation {
    driver: Mutex<Driver>,
    pool: ThreadPool,
    /// The line to the simulation, for Ctrl-C.
    signal: Mutex<Arc<Signal>>,
    /// The scene it was built from, which keeps the files of meshes that were given as arrays.
    #[pyo3(get)]
    scene: Py<PyAny>,
}

impl Simulation {
    /// The driver, once nobody else has it; the interpreter is free until then.
    fn still<T: Send>(&self, py: Python, look: impl FnOnce(&Driver) -> T + Send) -> T {
        py.detach(|| look(&lock(&self.driver)))
    }

    /// Does work with the driver on the simulation's threads, until Ctrl-C.
    fn moving<T: Send>(
        &self,
        py: Python,
        stop: impl Fn() + Sync + Send,
        work: impl FnOnce(&mut Driver) -> Result<T, Problem> + Send,
    ) -> PyResult<T> {
        let made = patiently(py, &self.pool, stop, || work(&mut lock(&self.driver)))?;
        made.map_err(|problem| raise(py, problem))
    }

    fn stop(&self) {
        lock(&self.signal).stop();
    }

    pub fn settle(&self, py: Python) -> PyResult<()> {
        self.moving(py, || (), Driver::settle)
    }

    pub fn next_frame(&self, py: Python) -> PyResult<Frame> {
        let report = self.moving(py, || self.stop(), Driver::next_frame)?;
        let positions = self.positions(py)?.unbind();
        Ok(Frame::new(report, positions, self.velocities(py)?.unbind()))
    }
}

#[pymethods]
impl Simulation {
    /// Builds a scene; `Scene.build` is the way to call it.
    #[new]
    #[pyo3(signature = (scene, threads=None, memory=None))]
    fn new(scene: &Bound<PyAny>, threads: Option<u32>, memory: Option<f64>) -> PyResult<Self> {
        let (py, source) = (scene.py(), scene.extract::<Source>()?);
        if threads.is_some_and(|threads| !(1..=1024).contains(&threads)) {
            return Err(errors::input("threads: 1 to 1024 are possible"));
        }
        let failed = |found| errors::failure(py, &found);
        let pool = called::threads(threads).map_err(failed)?;
        let memory = called::memory(memory).map_err(failed)?;
        let built = patiently(py, &pool, || (), || Driver::new(source, memory))?;
        let driver = built.map_err(|problem| raise(py, problem))?;
        let signal = Mutex::new(driver.signal());
        Ok(Self { driver: Mutex::new(driver), pool, signal, scene: scene.clone().unbind() })
    }

    /// The scene's name.
    #[getter]
    fn name(&self, py: Python) -> String {
        self.still(py, |driver| driver.scene.name.clone())
    }

    /// Simulated time [s].
    #[getter]
    fn time(&self, py: Python) -> f64 {
        self.still(py, Driver::time)
    }

    /// The number of the last frame that was reached.
    #[getter]
    fn frame(&self, py: Python) -> u32 {
        self.still(py, |driver| driver.frame)
    }

    /// Frames a second.
    #[getter]
    fn rate(&self, py: Python) -> f64 {
        self.still(py, |driver| driver.scene.frames.rate)
    }

    /// How many particles the cloth has; tearing makes them more.
    #[getter]
    fn particles(&self, py: Python) -> usize {
        self.still(py, |driver| driver.looked.still().model().particles())
    }

    /// The particles of each cloth that has a name, as slices of the arrays over particles.
    #[getter]
    fn cloths<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let cloths = self.still(py, |driver| driver.looked.still().model().cloths().to_vec());
        let all = PyDict::new(py);
        for cloth in cloths {
            let [first, end] = [cloth.particles.start, cloth.particles.end].map(|at| at as isize);
            all.set_item(cloth.name, PySlice::new(py, first, end, 1))?;
        }
        Ok(all)
    }

    /// What the user should know about how the scene was taken, as texts.
    #[getter]
    fn notes(&self, py: Python) -> Vec<String> {
        self.still(py, |driver| driver.scene.notes.clone())
    }

    /// What begins badly, as texts: cloth inside of solids or through itself, say.
    #[getter]
    fn warnings(&self, py: Python) -> Vec<String> {
        self.still(py, |driver| driver.scene.warnings.iter().map(ToString::to_string).collect())
    }

    /// Where each particle is [m]: a read-only array of shape (n, 3).
    #[getter]
    fn positions<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray2<f64>>> {
        let driver = self.lock_attached(py);
        views::vectors(py, &driver.looked.still().state().positions, driver.looked.shelf())
    }

    /// How fast each particle moves [m/s]: a read-only array of shape (n, 3).
    #[getter]
    fn velocities<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray2<f64>>> {
        let driver = self.lock_attached(py);
        views::vectors(py, &driver.looked.still().state().velocities, driver.looked.shelf())
    }

    /// The tensions [N/m] with which strain limits are kept, a read-only array; empty where the
    /// cloth has none.
    #[getter]
    fn tensions<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray1<f64>>> {
        let driver = self.lock_attached(py);
        views::numbers(py, &driver.looked.still().state().tensions, driver.looked.shelf())
    }

    /// Change of length over rest length at each gauge: a read-only array, measured when it is first
    /// asked for after the simulation has moved. No view: it stays what it is and costs a pass over
    /// the gauges, once.
    #[getter]
    fn strain<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<f64>> {
        let driver = self.lock_attached(py);
        let (simulation, measured) = (driver.looked.still(), &driver.looked.measured);
        let array = measured.strain.get_or_init(|| {
            let positions = &simulation.state().positions;
            let gauges = simulation.model().gauges().iter();
            let strains: Vec<f64> = gauges.map(|gauge| gauge.strain(positions)).collect();
            let array = strains.to_pyarray(py);
            array.readwrite().make_nonwriteable();
            array.unbind()
        });
        array.bind(py).clone()
    }

    /// The particles of each gauge, an array of shape (gauges, 3); an edge names its second end
    /// twice.
    #[getter]
    fn gauges<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray2<u32>>> {
        let named = self.still(py, |driver| {
            let gauges = driver.looked.still().model().gauges().iter();
            gauges.map(|gauge| gauge.particles).collect::<Vec<_>>()
        });
        rows(py, &named)
    }

    /// The corners of each triangle of the cloth, an array of shape (triangles, 3); quads are cut
    /// in two.
    #[getter]
    fn triangles<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray2<u32>>> {
        let named = self.still(py, |driver| {
            driver.looked.still().model().faces().triangles().collect::<Vec<_>>()
        });
        rows(py, &named)
    }

    /// The mass of each particle [kg].
    #[getter]
    fn masses<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<f64>> {
        self.still(py, |driver| driver.looked.still().model().masses().to_vec()).to_pyarray(py)
    }

    /// The force of solids on each particle in the last step [N], friction included: a read-only
    /// array of shape (n, 3), summed when it is first asked for after the simulation has moved.
    #[getter]
    fn contact_forces<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray2<f64>>> {
        let driver = self.lock_attached(py);
        let (simulation, measured) = (driver.looked.still(), &driver.looked.measured);
        once(py, &measured.contact_forces, || {
            let forces = simulation.contact_forces().iter().map(|of| (of.particle, of.force));
            by_particle(simulation.model().particles(), forces)
        })
    }

    /// The force of pins on each particle in the last step [N]: a read-only array of shape (n, 3),
    /// summed when it is first asked for after the simulation has moved.
    #[getter]
    fn pin_forces<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray2<f64>>> {
        let driver = self.lock_attached(py);
        let (simulation, measured) = (driver.looked.still(), &driver.looked.measured);
        once(py, &measured.pin_forces, || {
            by_particle(simulation.model().particles(), simulation.pin_forces())
        })
    }

    /// The particles of each pin, in the order that `set_targets` takes their places.
    #[getter]
    fn pins<'py>(&self, py: Python<'py>) -> Vec<Bound<'py, PyArray1<u32>>> {
        let pins = self.still(py, |driver| {
            let pins = driver.looked.still().setup().pins.iter();
            pins.map(|pin| pin.particles.clone()).collect::<Vec<_>>()
        });
        pins.iter().map(|particles| particles.to_pyarray(py)).collect()
    }

    /// A fingerprint of every bit that the simulation goes on from; the report of a run has it as
    /// `hash`.
    #[getter]
    fn fingerprint(&self, py: Python) -> String {
        self.still(py, Driver::fingerprint)
    }

    /// Kinetic, gravitational and elastic energy now [J].
    #[getter]
    fn energy(&self, py: Python) -> (f64, f64, f64) {
        let energy = self.still(py, |driver| driver.looked.still().energy());
        (energy.kinetic, energy.gravitational, energy.elastic)
    }

    /// Makes frames: an iterator over `count` of them from the next on, `rate` a second; without
    /// them, those that the scene has left, at its rate.
    ///
    /// A rate other than the scene's can be said before the first frame only. Frames have the same
    /// bits as those of `taffeta run` with `--set frames.rate` and `frames.count`.
    #[pyo3(signature = (rate=None, count=None))]
    fn frames(slf: Bound<Self>, rate: Option<f64>, count: Option<u32>) -> PyResult<Frames> {
        let (py, this) = (slf.py(), slf.get());
        let left = this.moving(py, || (), |driver| driver.plan(rate, count))?;
        let signal = this.still(py, Driver::signal);
        *lock(&this.signal) = signal;
        Ok(Frames { simulation: slf.unbind(), left })
    }

    /// Goes on by some seconds, in as many steps as that takes, whether or not it ends at a frame.
    /// Forces and targets that were set act in all of them.
    fn step(&self, py: Python, seconds: f64) -> PyResult<()> {
        self.moving(py, || self.stop(), |driver| driver.step(seconds))
    }

    /// Pushes each particle with a force [N], an array of shape (n, 3), from now on until other
    /// forces are set; `None` for no more.
    #[pyo3(signature = (forces))]
    fn set_forces(&self, py: Python, forces: Option<&Bound<PyAny>>) -> PyResult<()> {
        let forces = forces.map_or(Ok(Vec::new()), |given| arrays::vectors(given, "forces"))?;
        let set = py.detach(|| lock(&self.driver).set_forces(&forces));
        set.map_err(|problem| raise(py, problem))
    }

    /// Leads the particles of a pin, by its place in the scene, to places [m] of shape (n, 3), in
    /// straight lines so that they are there after some seconds; there they stay.
    fn set_targets(
        &self,
        py: Python,
        pin: usize,
        places: &Bound<PyAny>,
        seconds: f64,
    ) -> PyResult<()> {
        let places = arrays::vectors(places, "places")?;
        let set = py.detach(|| lock(&self.driver).set_targets(pin, &places, seconds));
        set.map_err(|problem| raise(py, problem))
    }

    /// All that is needed to go on from here, as bytes.
    fn state<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        PyBytes::new(py, &self.still(py, Driver::state))
    }

    /// Goes back, or on, to a state of the same scene; the same bits follow. Forces and targets are
    /// gone.
    fn restore(&self, py: Python, state: &[u8]) -> PyResult<()> {
        self.moving(py, || (), |driver| driver.restore(state))
    }

    /// Saves the run to a folder as `taffeta run --out` does: the frames so far, which are made
    /// again if there are any, and all that follow. Say it before the first frame to save time.
    ///
    /// A folder that holds a part of the same run is completed, one of another run is refused
    /// unless `overwrite` is true.
    #[pyo3(signature = (folder, overwrite=false))]
    fn save(&self, py: Python, folder: PathBuf, overwrite: bool) -> PyResult<Run> {
        let stop = AtomicBool::new(false);
        let ask = || stop.store(true, Ordering::Relaxed);
        let written = self.moving(py, ask, |driver| {
            driver.save(&folder, overwrite, &stop)?;
            Ok(driver.saved().map(|(_, written)| written).unwrap_or_default())
        })?;
        Ok(Run::of(folder, written))
    }

    /// The run that is being saved, if one is.
    #[getter]
    fn run(&self, py: Python) -> Option<Run> {
        self.still(py, Driver::saved).map(|(folder, written)| Run::of(folder, written))
    }

    fn __repr__(&self, py: Python) -> String {
        self.still(py, |driver| {
            let (name, frame, time) = (&driver.scene.name, driver.frame, driver.time());
            let particles = driver.looked.still().model().particles();
            format!(
                "<taffeta.Simulation of {name}: {particles} particles, frame {frame}, {time:.4} s>"
            )
        })
    }
}

impl Simulation {
    /// The driver for a look that needs the interpreter too, which is free while this waits.
    fn lock_attached(&self, py: Python) -> MutexGuard<'_, Driver> {
        use pyo3::sync::MutexExt;
        self.driver.lock_py_attached(py).unwrap_or_else(PoisonError::into_inner)
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    // A panic leaves a simulation at its last good step.
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

fn raise(py: Python, problem: Problem) -> PyErr {
    match problem {
        Problem::Scene(problems) => errors::of_scene(py, problems),
        Problem::Input(what) => errors::input(what),
        Problem::Simulation(what) => errors::simulation(what),
        Problem::Run(what) => errors::run(what),
    }
}

/// The array that a cell keeps, made if it has none yet.
fn once<'py>(
    py: Python<'py>,
    kept: &OnceCell<Py<PyArray2<f64>>>,
    measure: impl FnOnce() -> Vec<[f64; 3]>,
) -> PyResult<Bound<'py, PyArray2<f64>>> {
    if let Some(array) = kept.get() {
        return Ok(array.bind(py).clone());
    }
    let array = rows(py, &measure())?;
    Ok(kept.get_or_init(|| array.unbind()).bind(py).clone())
}

/// The sum of forces on each particle.
fn by_particle(particles: usize, forces: impl Iterator<Item = (u32, DVec3)>) -> Vec<[f64; 3]> {
    let mut sums = vec![DVec3::ZERO; particles];
    // Contacts of bodies' vertices are numbered after the cloth's.
    for (particle, force) in forces.filter(|(particle, _)| (*particle as usize) < particles) {
        sums[particle as usize] += force;
    }
    sums.into_iter().map(|sum| sum.to_array()).collect()
}
