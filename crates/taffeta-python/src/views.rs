//! Arrays of a simulation's state for numpy, without a copy.
//!
//! A view holds a [`Keeper`], and through it a shelf. As long as the simulation stands still, it
//! owns the arrays. Before it moves, or goes away, it looks whether anybody else has its shelf: if
//! so it parts with its state, which goes onto the shelf as it is, and moves on with a copy. So
//! what a view shows never changes, is never freed under it, and costs a copy only if it is kept.

#![allow(unsafe_code, reason = "numpy is handed a pointer; why it stays valid is told above")]

use std::cell::OnceCell;
use std::sync::{Arc, OnceLock};

use bytemuck::cast_slice;
use glam::DVec3;
use numpy::ndarray::{ArrayView1, ArrayView2};
use numpy::{PyArray1, PyArray2, PyArrayMethods};
use pyo3::prelude::*;
use taffeta::{Simulation, State};

use crate::errors::simulation;

/// Where a state goes that others look at.
#[derive(Default)]
pub struct Shelf(OnceLock<State>);

/// Keeps the memory behind arrays alive.
#[pyclass(frozen, module = "taffeta._taffeta")]
pub struct Keeper {
    _shelf: Arc<Shelf>,
}

/// A simulation whose arrays may be looked at. All that moves it goes through [`Looked::moving`].
pub struct Looked {
    simulation: Simulation,
    shelf: Arc<Shelf>,
    /// What was measured of the state as it is now.
    pub measured: Measured,
}

/// Arrays that are measured when they are asked for, once for each state.
#[derive(Default)]
pub struct Measured {
    pub strain: OnceCell<Py<PyArray1<f64>>>,
    pub contact_forces: OnceCell<Py<PyArray2<f64>>>,
    pub pin_forces: OnceCell<Py<PyArray2<f64>>>,
}

impl Looked {
    pub fn new(simulation: Simulation) -> Self {
        Self { simulation, shelf: Arc::default(), measured: Measured::default() }
    }

    /// The simulation, to look at.
    pub fn still(&self) -> &Simulation {
        &self.simulation
    }

    /// The simulation, to move: whoever looks at its arrays keeps them as they are.
    pub fn moving(&mut self) -> &mut Simulation {
        self.leave_to_viewers();
        self.measured = Measured::default();
        &mut self.simulation
    }

    /// The shelf of the state as it is now.
    pub fn shelf(&self) -> Arc<Shelf> {
        Arc::clone(&self.shelf)
    }

    fn leave_to_viewers(&mut self) {
        if Arc::strong_count(&self.shelf) == 1 {
            return;
        }
        let shelf = std::mem::take(&mut self.shelf);
        // A shelf is new with every state it is left with, so it is empty.
        let _ = shelf.0.set(self.simulation.part_with_state());
    }
}

impl Drop for Looked {
    fn drop(&mut self) {
        self.leave_to_viewers();
    }
}

/// An array of three columns over vectors that the shelf's state holds, or will hold.
pub fn vectors<'py>(
    py: Python<'py>,
    values: &[DVec3],
    shelf: Arc<Shelf>,
) -> PyResult<Bound<'py, PyArray2<f64>>> {
    let flat: &[f64] = cast_slice(values);
    let view = ArrayView2::from_shape((values.len(), 3), flat).map_err(simulation)?;
    let keeper = Bound::new(py, Keeper { _shelf: shelf })?;
    // The keeper has the shelf, so the memory lives as long as the array and is written no more.
    let array = unsafe { PyArray2::borrow_from_array(&view, keeper.into_any()) };
    array.readwrite().make_nonwriteable();
    Ok(array)
}

/// The same over single numbers.
pub fn numbers<'py>(
    py: Python<'py>,
    values: &[f64],
    shelf: Arc<Shelf>,
) -> PyResult<Bound<'py, PyArray1<f64>>> {
    let keeper = Bound::new(py, Keeper { _shelf: shelf })?;
    // As above.
    let array =
        unsafe { PyArray1::borrow_from_array(&ArrayView1::from(values), keeper.into_any()) };
    array.readwrite().make_nonwriteable();
    Ok(array)
}
