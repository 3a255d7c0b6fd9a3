//! Arrays that Python gives, anything numpy makes numbers of, of the right shape, finite; and arrays
//! that it gets.

use glam::DVec3;
use numpy::ndarray::Array2;
use numpy::{PyArray2, PyArrayDyn, PyArrayMethods, PyUntypedArrayMethods, ToPyArray};
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::errors::{input, simulation};

/// Rows of three numbers.
pub fn vectors(given: &Bound<PyAny>, what: &str) -> PyResult<Vec<DVec3>> {
    let array = numbers(given, what)?;
    let shape = array.shape().to_vec();
    let [_, 3] = shape[..] else {
        return Err(input(format!(
            "{what} have the shape {shape:?}; rows of three are needed: (n, 3)"
        )));
    };
    let values = array.readonly();
    let values: Vec<f64> = values.as_array().iter().copied().collect();
    let rows: Vec<DVec3> =
        values.as_chunks::<3>().0.iter().map(|row| DVec3::from_array(*row)).collect();
    match rows.iter().position(|row| !row.is_finite()) {
        Some(row) => Err(input(format!("{what}: row {row} is {}, which is not finite", rows[row]))),
        None => Ok(rows),
    }
}

/// An array of numbers, copied by numpy if it is not one already.
fn numbers<'py>(given: &Bound<'py, PyAny>, what: &str) -> PyResult<Bound<'py, PyArrayDyn<f64>>> {
    let py = given.py();
    // numpy would drop their imaginary parts.
    if py.import("numpy")?.call_method1("iscomplexobj", (given,))?.extract()? {
        return Err(input(format!("{what} are complex; real numbers are needed")));
    }
    let options = PyDict::new(py);
    options.set_item("dtype", "float64")?;
    let made = py.import("numpy")?.call_method("asarray", (given,), Some(&options));
    let refuse = |error: PyErr| input(format!("{what} are no numbers: {}", error.value(py)));
    Ok(made.map_err(refuse)?.cast_into::<PyArrayDyn<f64>>()?)
}

/// A read-only array with a row of three for each item.
pub fn rows<'py, T: numpy::Element + Clone>(
    py: Python<'py>,
    items: &[[T; 3]],
) -> PyResult<Bound<'py, PyArray2<T>>> {
    let flat: Vec<T> = items.iter().flatten().cloned().collect();
    let array = Array2::from_shape_vec((items.len(), 3), flat).map_err(simulation)?;
    let array = array.to_pyarray(py);
    array.readwrite().make_nonwriteable();
    Ok(array)
}
