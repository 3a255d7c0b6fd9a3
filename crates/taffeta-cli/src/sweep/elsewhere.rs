//! Sweeps that others run: a command for each task, and a template for render farms.

use std::path::Path;

use serde_json::{Value, json};
use taffeta_sweep::Plan;

use crate::command_line::quoted_path;

/// The command that does one task, from the beginning or from where it was.
pub fn line(plan: &Path, out: &Path, task: u32) -> String {
    format!("taffeta sweep {} --out {} --task {task}", quoted_path(plan), quoted_path(out))
}

/// A job of Open Job Description, 2023-09: a step with a task for each of ours, and one that makes
/// the table.
pub fn template(plan_file: &Path, out: &Path, plan: &Plan) -> String {
    let command = |more: &[&str]| {
        let words = ["sweep", "{{Param.Plan}}", "--out", "{{Param.Out}}"];
        let words: Vec<&str> = words.iter().chain(more).copied().collect();
        json!({ "actions": { "onRun": { "command": "taffeta", "args": words } } })
    };
    let path = |name: &str, kind: &str, flow: &str, given: &Path| -> Value {
        let mut path =
            json!({ "name": name, "type": "PATH", "objectType": kind, "dataFlow": flow });
        // A default starts from the template's folder; what does not is for the farm to say.
        if given.is_relative() {
            path["default"] = json!(given.to_string_lossy());
        }
        path
    };
    let last = plan.tasks.len().saturating_sub(1);
    let job = json!({
        "specificationVersion": "jobtemplate-2023-09",
        "name": format!("Taffeta sweep {}", plan.name),
        "parameterDefinitions": [
            path("Plan", "FILE", "IN", plan_file),
            path("Out", "DIRECTORY", "INOUT", out),
        ],
        "steps": [
            {
                "name": "Tasks",
                "parameterSpace": {
                    "taskParameterDefinitions": [
                        { "name": "Task", "type": "INT", "range": format!("0-{last}") },
                    ],
                },
                "script": command(&["--task", "{{Task.Param.Task}}"]),
            },
            {
                "name": "Table",
                "dependencies": [{ "dependsOn": "Tasks" }],
                "script": command(&[]),
            },
        ],
    });
    format!("{job:#}")
}
