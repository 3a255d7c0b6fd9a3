//! A column of the table.

/// A column with a cell for each task; what is not known is none.
#[derive(Clone, Debug, PartialEq)]
pub enum Column {
    Whole(Vec<Option<i64>>),
    Number(Vec<Option<f64>>),
    Text(Vec<Option<String>>),
}
