"""A real Ray cluster of two workers on this machine, of which one is killed in the middle."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

import taffeta
from conftest import make_napkin

#: Where the head listens for ``ray://``; none of those that Ray takes by itself.
CLIENT_PORT = 10901

PLAN = """
scene = "napkin.toml"
[[vary]]
key = "fabric.density"
range = [0.05, 0.3]
steps = 16
[measure]
heights = true
"""


@pytest.fixture(scope="module")
def cluster():
    cluster_utils = pytest.importorskip("ray.cluster_utils")
    head = {"num_cpus": 0, "include_dashboard": False, "object_store_memory": 80_000_000}
    head["ray_client_server_port"] = CLIENT_PORT
    cluster = cluster_utils.Cluster(initialize_head=True, head_node_args=head)
    yield cluster
    cluster.shutdown()


def sweep_on(address: str, plan: Path, out: Path) -> subprocess.Popen[str]:
    line = [sys.executable, "-m", "taffeta", "sweep", str(plan), "--out", str(out), "--on", address]
    return subprocess.Popen(line, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)


def test_a_killed_worker_costs_nothing_but_time(cluster, tmp_path, command):
    make_napkin(17).write(tmp_path / "napkin.toml")
    plan = tmp_path / "plan.toml"
    plan.write_text(PLAN)
    workers = [cluster.add_node(num_cpus=1, object_store_memory=80_000_000) for _ in range(2)]
    cluster.wait_for_nodes()
    running = sweep_on(cluster.address, plan, tmp_path / "ray")
    while len(list((tmp_path / "ray").glob("tasks/*.json"))) < 3:
        assert running.poll() is None, running.communicate()[0]
        time.sleep(0.02)
    cluster.remove_node(workers[1], allow_graceful=False)
    left = 16 - len(list((tmp_path / "ray").glob("tasks/*.json")))
    told, _ = running.communicate(timeout=120)
    assert running.returncode == 0, told
    assert left > 3, "the worker was killed too late to matter"
    command("sweep", plan, "--out", tmp_path / "one", "--jobs", 1)
    table = (tmp_path / "ray" / "table.csv").read_bytes()
    assert table == (tmp_path / "one" / "table.csv").read_bytes()
    manifest = taffeta.Sweep(tmp_path / "ray").manifest
    again = [task for task in manifest if "again" in task]
    # One in a hundred, and at least one, was done a second time.
    assert len(again) == 1 and again[0]["again"] == again[0]["fingerprint"]


def test_a_cluster_is_reached_through_its_client_port(cluster, tmp_path):
    """By ``ray://``, as from a machine that is not one of the cluster's."""
    pytest.importorskip("grpc", reason="ray:// needs ray[client]")
    make_napkin().write(tmp_path / "napkin.toml")
    plan = tmp_path / "plan.toml"
    plan.write_text(PLAN.replace("steps = 16", "steps = 2"))
    worker = cluster.add_node(num_cpus=1, object_store_memory=80_000_000)
    running = sweep_on(f"ray://127.0.0.1:{CLIENT_PORT}", plan, tmp_path / "out")
    told, _ = running.communicate(timeout=120)
    cluster.remove_node(worker)
    assert running.returncode == 0, told
    assert [task["state"] for task in taffeta.Sweep(tmp_path / "out").manifest] == ["done"] * 2


def pretend_to_be_a_node(monkeypatch):
    class Context:
        def get_node_id(self) -> str:
            return "node"

    ray = pytest.importorskip("ray")
    monkeypatch.setattr(ray, "get_runtime_context", Context)


def test_without_a_shared_folder_files_travel_and_records_come_back(tmp_path, monkeypatch):
    """What a node does that sees neither the plan nor the folder of the sweep."""
    from taffeta import _cluster, _taffeta

    make_napkin().write(tmp_path / "napkin.toml")
    plan = tmp_path / "plan.toml"
    plan.write_text(PLAN)
    files = _cluster._pack(plan, _taffeta.sweep_needs(str(plan))[1])
    assert [Path(name).name for name in files] == ["plan.toml", "napkin.toml"]

    pretend_to_be_a_node(monkeypatch)
    line, node = _cluster.work("/nowhere/plan.toml", "/nowhere/out", files, 2, False)
    record = json.loads(line)
    own = json.loads(_taffeta.sweep_task(str(plan), 2, str(tmp_path / "run")))
    assert (record["state"], node) == ("done", "node")
    assert record["fingerprint"] == own["fingerprint"]


def highest(run: taffeta.Run) -> float:
    return float(len(run.frames))


@pytest.mark.parametrize("absolute", [False, True])
def test_meshes_and_functions_travel_too(tmp_path, monkeypatch, absolute):
    """Relative or absolute, beside the plan or elsewhere; gone from here before the node begins."""
    from taffeta import _cluster, _taffeta

    here, meshes = tmp_path / "here" / "plans", tmp_path / "here" / "meshes"
    here.mkdir(parents=True), meshes.mkdir()
    square = [[0, 0, 0], [0.1, 0, 0], [0.1, 0, 0.1], [0, 0, 0.1]]
    scene = taffeta.Scene("square")
    scene.add((square, [[0, 1, 2], [0, 2, 3]]), position=(0, 0.01, 0))
    ball = np.array(square) * 3 - [0.1, 0.05, 0.1]
    scene.solid((np.stack([ball, ball + 0.01]), [[2, 1, 0], [3, 2, 0]]), rate=10)
    scene.set("frames.count", 3)
    written = scene.write(meshes / "square.toml").read_text()
    if absolute:
        written = written.replace('"square-meshes', f'"{meshes.as_posix()}/square-meshes')
        (meshes / "square.toml").write_text(written)
    shutil.copy(__file__, meshes / "own.py")
    plan = here / "plan.toml"
    function = f"{meshes.as_posix() if absolute else '../meshes'}/own.py:highest"
    plan.write_text(
        f'scene = "../meshes/square.toml"\n[[vary]]\nkey = "seed"\nvalues = [1]\n'
        f'[measure]\npython = ["{function}"]\n'
    )
    own = json.loads(_taffeta.sweep_task(str(plan), 0, str(tmp_path / "run")))
    assert own["state"] == "done", own
    files = _cluster._pack(plan, _taffeta.sweep_needs(str(plan))[1])
    assert len(files) == 6, list(files)
    shutil.rmtree(tmp_path / "here")
    pretend_to_be_a_node(monkeypatch)
    record = json.loads(_cluster.work(str(plan), str(tmp_path / "out"), files, 0, False)[0])
    assert record["state"] == "done", record
    assert (record["fingerprint"], record["measures"]) == (own["fingerprint"], own["measures"])


def test_other_bits_on_another_node_are_a_failure():
    from taffeta import _cluster

    class Ray:
        def nodes(self):
            return [{"NodeID": "b", "Alive": True, "Resources": {"CPU": 1}}]

        def get(self, reference):
            return reference, "b"

    first = {"state": "done", "fingerprint": "1", "machine": "m", "message": None}
    second = json.dumps({**first, "fingerprint": "2", "machine": "n"})
    asked = []

    def submit(task, again, node):
        asked.append((task, again, node))
        return second

    found = [json.loads(line) for line in _cluster._compare(Ray(), submit, {7: (first, "a")})]
    assert asked == [(7, True, "b")]
    assert found[0]["state"] == "failed" and "other bits on n" in found[0]["message"]


def test_an_unreachable_cluster_is_told(tmp_path):
    make_napkin().write(tmp_path / "napkin.toml")
    (tmp_path / "plan.toml").write_text(PLAN)
    with pytest.raises(taffeta.SweepError, match="127.0.0.1:9 cannot be reached"):
        taffeta.sweep(tmp_path / "plan.toml", out=tmp_path / "out", on="127.0.0.1:9")
