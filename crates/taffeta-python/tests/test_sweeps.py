"""Sweeps: complete tables, whatever is stopped, killed or wrong on the way."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

import taffeta
from conftest import make_napkin

PLAN = """
scene = "napkin.toml"
samples = 2
seed = 3
[[vary]]
key = "fabric.density"
range = [0.05, 0.2]
steps = 3
[[vary]]
key = "fabric.preset"
values = ["silk", "denim"]
[[vary]]
key = "cloth.jitter"
random = [1e-6, 1e-4]
log = true
[measure]
heights = true
drape = 0.06
report = ["kinetic"]
"""


@pytest.fixture
def plan(tmp_path: Path) -> Path:
    make_napkin().write(tmp_path / "napkin.toml")
    (tmp_path / "plan.toml").write_text(PLAN)
    return tmp_path / "plan.toml"


def measure_span(run: taffeta.Run) -> dict[str, float]:
    return {"frames": len(run.frames), "span": run.report[-1]["height"] - run.report[0]["height"]}


def test_a_sweep_makes_one_table_of_all(plan, command, tmp_path):
    import pyarrow.parquet

    done = command("sweep", plan, "--out", tmp_path / "out")
    assert "12 tasks are done" in done.stdout
    sweep = taffeta.Sweep(tmp_path / "out")
    table = sweep.table
    assert len(table["task"]) == len(sweep) == 12 and set(table["state"]) == {"done"}
    assert sorted(set(table["fabric.density"])) == pytest.approx([0.05, 0.125, 0.2])
    assert len(set(table["cloth.jitter"])) == 12
    assert (table["cloth.jitter"] >= 1e-6).all() and (table["cloth.jitter"] <= 1e-4).all()
    assert ((0 < table["drape_coefficient"]) & (table["drape_coefficient"] < 1.01)).all()
    assert (table["height_lowest"] < table["height_mean"]).all()
    stored = pyarrow.parquet.read_table(tmp_path / "out" / "table.parquet").to_pydict()
    assert list(stored) == list(table)
    assert stored["fingerprint"] == list(table["fingerprint"])
    assert stored["kinetic"] == list(table["kinetic"]) and stored["message"] == [None] * 12
    for key in ("fabric-density", "cloth-jitter"):
        assert (tmp_path / "out" / "plots" / f"{key}.svg").read_text().startswith("<svg")
    for task in sweep.manifest:
        assert task["machine"] and task["seconds"] > task["overhead"] > 0
    # Each task is a run like any other.
    assert sweep.run(5).check()["holds"]


def test_the_table_is_the_same_from_one_process_or_many_and_task_by_task(plan, command, tmp_path):
    command("sweep", plan, "--out", tmp_path / "many")
    command("sweep", plan, "--out", tmp_path / "one", "--jobs", 1)
    lines = command("sweep", plan, "--out", tmp_path / "list", "--list").stdout.splitlines()
    assert len(lines) == 12
    for line in reversed(lines):
        words = line.split()
        assert words[:2] == ["taffeta", "sweep"] and words[-2] == "--task"
        record = json.loads(command(*words[1:]).stdout)
        assert record["state"] == "done"
    assert command("sweep", plan, "--out", tmp_path / "list", "--list").stdout == ""
    command("sweep", plan, "--out", tmp_path / "list")
    tables = [(tmp_path / name / "table.csv").read_bytes() for name in ("many", "one", "list")]
    assert tables[0] == tables[1] == tables[2]


def start(plan: Path, out: Path, **options) -> subprocess.Popen[str]:
    line = [sys.executable, "-m", "taffeta", "sweep", str(plan), "--out", str(out)]
    return subprocess.Popen(line, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, **options)


def wait_for_tasks(out: Path, count: int, running: subprocess.Popen[str]) -> None:
    while len(list(out.glob("tasks/*.json"))) < count:
        assert running.poll() is None, running.communicate()
        time.sleep(0.01)


def workers_of(process: int) -> list[int]:
    threads = Path(f"/proc/{process}/task").glob("*/children")
    return [int(child) for thread in threads for child in thread.read_text().split()]


def test_killed_and_stopped_sweeps_go_on_where_they_were(plan, command, tmp_path):
    command("sweep", plan, "--out", tmp_path / "whole")
    out = tmp_path / "out"
    # The whole sweep is killed.
    running = start(plan, out)
    wait_for_tasks(out, 2, running)
    running.kill()
    running.wait()
    done = set(out.glob("tasks/*.json"))
    # A worker is killed: another takes its place.
    running = start(plan, out)
    wait_for_tasks(out, 5, running)
    os.kill(workers_of(running.pid)[0], signal.SIGKILL)
    wait_for_tasks(out, 7, running)
    # And then it is asked to stop.
    running.send_signal(signal.SIGINT)
    told, _ = running.communicate(timeout=20)
    assert running.returncode in (0, 130), told
    assert done <= set(out.glob("tasks/*.json"))
    command("sweep", plan, "--out", out)
    assert (out / "table.csv").read_bytes() == (tmp_path / "whole" / "table.csv").read_bytes()


def test_tasks_that_fail_do_not_stop_the_others(plan, tmp_path, command):
    text = PLAN.replace('["silk", "denim"]', '["silk", "plutonium"]')
    plan.write_text(text)
    done = command("sweep", plan, "--out", tmp_path / "out", check=False)
    assert done.returncode == 1 and "6 failed" in done.stdout
    assert "plutonium" in done.stderr
    sweep = taffeta.Sweep(tmp_path / "out")
    assert [task["number"] for task in sweep.failed] == [2, 3, 6, 7, 10, 11]
    assert all("plutonium" in task["message"] for task in sweep.failed)
    assert np.isfinite(sweep.table["kinetic"]).sum() == 6


def test_values_come_from_a_table_and_functions_measure(tmp_path):
    (tmp_path / "values.csv").write_text("fabric.density,cloth.position\n0.1,\"[0, 0.2, 0]\"\n0.2,\"[0, 0.3, 0]\"\n")
    plan = {"scene": make_napkin(), "table": "values.csv", "measure": {"worst": ["extension", "kinetic"]}}
    sweep = taffeta.sweep(plan, out=tmp_path / "out", measure=measure_span)
    table = sweep.table
    assert list(table["fabric.density"]) == [0.1, 0.2]
    assert list(table["cloth.position"]) == ["[0, 0.2, 0]", "[0, 0.3, 0]"]
    assert list(table["frames"]) == [11, 11] and (table["span"] < 0).all()
    assert (table["worst_kinetic"] > 0).all()
    again = taffeta.sweep(plan, out=tmp_path / "out", measure=measure_span)
    assert again.manifest == sweep.manifest


def test_mistakes_in_plans_are_told_before_anything_is_computed(plan, tmp_path, command):
    def refuse(text: str, told: str) -> None:
        plan.write_text(text)
        with pytest.raises(taffeta.TaffetaError, match=told):
            taffeta.sweep(plan, out=tmp_path / "out")
        shown = command("sweep", plan, "--out", tmp_path / "out", check=False)
        assert shown.returncode == 1
        assert not list((tmp_path / "out").glob("tasks/*/frames/*"))
        if (tmp_path / "out").exists():
            subprocess.run(["rm", "-r", str(tmp_path / "out")], check=True)

    refuse(PLAN.replace("fabric.density", "fabric.densty"), "did you mean `density`")
    refuse(PLAN.replace("scene =", "scenes ="), "has no key `scenes`")
    refuse(PLAN.replace("napkin.toml", "nothing.toml"), "cannot read the scene")
    refuse(PLAN.replace("range = [0.05, 0.2]\n", ""), "has no values")
    refuse(PLAN.replace("[1e-6, 1e-4]", "[-1, 1]"), "above zero")
    refuse(PLAN.replace('"kinetic"', '"kinetik"'), "no field `kinetik`")
    refuse("scene = ", "plan.toml:1")
    refuse('table = "gone.csv"\n' + PLAN, "cannot read the table")


def test_folders_of_other_plans_are_left_alone(plan, tmp_path):
    out = tmp_path / "out"
    taffeta.sweep(plan, out=out)
    table = (out / "table.csv").read_bytes()
    plan.write_text(PLAN.replace("seed = 3", "seed = 4"))
    with pytest.raises(taffeta.SweepError, match="belongs to another plan"):
        taffeta.sweep(plan, out=out)
    assert (out / "table.csv").read_bytes() == table
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "diary.txt").write_text("dear diary")
    with pytest.raises(taffeta.SweepError, match="not a Taffeta sweep"):
        taffeta.sweep(plan, out=tmp_path / "mine")
    with pytest.raises(taffeta.SweepError, match="no sweep"):
        taffeta.Sweep(tmp_path / "mine")


def test_the_template_is_open_job_description(plan, tmp_path, command):
    openjd = str(Path(sys.executable).with_name("openjd"))
    job = tmp_path / "job.json"
    job.write_text(command("sweep", plan, "--out", tmp_path / "out", "--template").stdout)
    checked = subprocess.run([openjd, "check", str(job)], capture_output=True, text=True)
    assert checked.returncode == 0, checked.stdout + checked.stderr
    # A farm's worker does what it says.
    environment = {**os.environ, "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"}
    for step in (["Tasks", "-tp", "Task=3"], ["Table"]):
        done = subprocess.run(
            [openjd, "run", str(job), "-p", f"Plan={plan}", "-p", f"Out={tmp_path / 'out'}", "--step", *step],
            capture_output=True,
            text=True,
            env=environment,
        )
        assert done.returncode == 0, done.stdout + done.stderr
    assert len(taffeta.Sweep(tmp_path / "out").table["task"]) == 12
