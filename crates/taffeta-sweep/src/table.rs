//! One table of all tasks: their settings, what was measured, and the fingerprint of their frames.
//! It has nothing in it that depends on where and when tasks ran.

use std::collections::{BTreeMap, BTreeSet};

use crate::column::Column;
use crate::parquet;
use crate::plan::Plan;
use crate::record::{Outcome, Record};

/// Columns by name, in their order.
#[derive(Clone, Debug)]
pub struct Table {
    pub columns: Vec<(String, Column)>,
    pub rows: usize,
    /// The names of the keys that were varied.
    pub keys: Vec<String>,
    /// The names of what was measured.
    pub measures: Vec<String>,
}

impl Table {
    pub fn of(plan: &Plan, records: &BTreeMap<u32, Record>) -> Self {
        let numbers = plan.tasks.iter().map(|task| Some(i64::from(task.number))).collect();
        let mut columns = vec![("task".to_string(), Column::Whole(numbers))];
        let mut keys: Vec<String> = Vec::new();
        for setting in plan.tasks.iter().flat_map(|task| &task.settings) {
            if !keys.contains(&setting.key) {
                keys.push(setting.key.clone());
            }
        }
        columns.extend(keys.iter().map(|key| (key.clone(), setting_column(plan, key))));
        let of = |task: u32| records.get(&task);
        let texts = |text: &dyn Fn(Option<&Record>) -> Option<String>| {
            Column::Text(plan.tasks.iter().map(|task| text(of(task.number))).collect())
        };
        let state = |record: Option<&Record>| match record.map(|record| record.state) {
            Some(Outcome::Done) => "done",
            Some(Outcome::Failed) => "failed",
            Some(Outcome::Stopped) | None => "pending",
        };
        columns.push(("state".into(), texts(&|record| Some(state(record).into()))));
        let measures: BTreeSet<&String> =
            records.values().flat_map(|record| record.measures.keys()).collect();
        for name in &measures {
            let value = |record: &Record| record.measures.get(*name).copied().flatten();
            let values = plan.tasks.iter().map(|task| of(task.number).and_then(value));
            columns.push(((*name).clone(), Column::Number(values.collect())));
        }
        columns.push(("fingerprint".into(), texts(&|r| r.and_then(|r| r.fingerprint.clone()))));
        columns.push(("message".into(), texts(&|r| r.and_then(|r| r.message.clone()))));
        let measures = measures.into_iter().cloned().collect();
        Self { columns, rows: plan.tasks.len(), keys, measures }
    }

    /// A column of numbers, if it is one.
    pub fn numbers(&self, name: &str) -> Option<Vec<Option<f64>>> {
        let (_, column) = self.columns.iter().find(|(known, _)| known == name)?;
        match column {
            Column::Number(values) => Some(values.clone()),
            Column::Whole(values) => {
                Some(values.iter().map(|value| value.map(|value| value as f64)).collect())
            }
            Column::Text(_) => None,
        }
    }

    /// The table as CSV; numbers can be read back to the last bit.
    pub fn csv(&self) -> String {
        let mut writer = csv::Writer::from_writer(Vec::new());
        // Writing to memory cannot fail, and every row has as many cells.
        let _ = writer.write_record(self.columns.iter().map(|(name, _)| name));
        for row in 0..self.rows {
            let _ = writer.write_record(self.columns.iter().map(|(_, column)| column.word(row)));
        }
        String::from_utf8(writer.into_inner().unwrap_or_default()).unwrap_or_default()
    }

    /// The table as a Parquet file.
    pub fn parquet(&self) -> Vec<u8> {
        parquet::file(&self.columns, self.rows)
    }
}

impl Column {
    fn word(&self, row: usize) -> String {
        match self {
            Self::Whole(values) => values[row].map(|value| value.to_string()),
            Self::Number(values) => values[row].map(|value| format!("{value:?}")),
            Self::Text(values) => values[row].clone(),
        }
        .unwrap_or_default()
    }
}

/// The values of a key in all tasks: numbers if they are, otherwise as they are written.
fn setting_column(plan: &Plan, key: &str) -> Column {
    let value = |task: &crate::task::Task| {
        let setting = task.settings.iter().find(|setting| setting.key == key)?;
        Some(setting.value.clone())
    };
    let values: Vec<Option<toml::Value>> = plan.tasks.iter().map(value).collect();
    let known = || values.iter().flatten();
    if known().all(|value| value.is_integer()) {
        return Column::Whole(values.iter().map(|v| v.as_ref()?.as_integer()).collect());
    }
    if known().all(|value| value.is_integer() || value.is_float()) {
        let number = |v: &toml::Value| v.as_float().or(v.as_integer().map(|whole| whole as f64));
        return Column::Number(values.iter().map(|v| number(v.as_ref()?)).collect());
    }
    let text = |value: &toml::Value| value.as_str().map_or(value.to_string(), str::to_string);
    Column::Text(values.iter().map(|v| v.as_ref().map(text)).collect())
}
