//! Values of Python as TOML, so that a scene built in code is a scene like any other.

use pyo3::prelude::*;
use pyo3::types::{PyBool, PyDict, PyFloat, PyInt, PyList, PyString, PyTuple};
use toml::Value;

use crate::errors::input;

/// A mapping as the text of a TOML file.
#[pyfunction]
pub fn toml_text(tree: &Bound<PyDict>) -> PyResult<String> {
    let table = value(tree.as_any(), "the scene")?;
    toml::to_string(&table).map_err(|error| input(format!("this is no scene: {error}")))
}

/// A single value as TOML writes it on one line.
#[pyfunction]
pub fn toml_value(key: &str, given: &Bound<PyAny>) -> PyResult<String> {
    Ok(value(given, key)?.to_string())
}

/// The value at a place that is named in errors.
fn value(given: &Bound<PyAny>, place: &str) -> PyResult<Value> {
    if given.is_instance_of::<PyBool>() {
        return Ok(Value::Boolean(given.extract()?));
    }
    if given.is_instance_of::<PyInt>() {
        let whole = given.extract::<i64>();
        return whole
            .map(Value::Integer)
            .map_err(|_| input(format!("{place}: {given} is too large a whole number")));
    }
    if given.is_instance_of::<PyFloat>() {
        return Ok(Value::Float(given.extract()?));
    }
    if given.is_instance_of::<PyString>() {
        return Ok(Value::String(given.extract()?));
    }
    if let Ok(table) = given.cast::<PyDict>() {
        return table_of(table, place);
    }
    if given.is_instance_of::<PyList>() || given.is_instance_of::<PyTuple>() {
        let items =
            given.try_iter()?.enumerate().map(|(i, item)| value(&item?, &format!("{place}[{i}]")));
        return Ok(Value::Array(items.collect::<PyResult<_>>()?));
    }
    // numpy's scalars and arrays know themselves as Python's numbers and lists.
    if given.hasattr("tolist")? {
        let plain = given.call_method0("tolist")?;
        if !plain.hasattr("tolist")? {
            return value(&plain, place);
        }
    }
    // Paths and the like know themselves as text.
    if given.hasattr("__fspath__")? {
        return value(&given.call_method0("__fspath__")?, place);
    }
    let kind = given.get_type().name()?;
    Err(input(format!("{place}: a {kind} cannot be a value of a scene")))
}

fn table_of(table: &Bound<PyDict>, place: &str) -> PyResult<Value> {
    let mut entries = toml::Table::new();
    for (key, item) in table {
        let Ok(key) = key.extract::<String>() else {
            return Err(input(format!("{place}: {key} is no key, which is a text")));
        };
        // What is not given is left out.
        if !item.is_none() {
            entries.insert(key.clone(), value(&item, &format!("{place}.{key}"))?);
        }
    }
    Ok(Value::Table(entries))
}
