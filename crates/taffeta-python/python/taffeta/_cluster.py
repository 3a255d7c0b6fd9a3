"""Tasks of a sweep on a Ray cluster.

A task whose node dies is done again elsewhere, from where it was if the sweep's folder is one that
all nodes see; without such a folder the plan, its scene and every file they name travel to the
nodes, and records come back through Ray's object store. One task in a hundred is done a second time on another node, and the
fingerprints are compared.
"""

from __future__ import annotations

import json
import os
import shutil
import socket
import tempfile
from pathlib import Path
from typing import Any, Iterator

from . import _taffeta
from ._errors import SweepError

#: How often a task is tried whose node or process dies.
RETRIES = 10
#: Of so many tasks one is done again on another node.
AGAIN = 100
#: Tasks that wait in Ray's queue at most.
WINDOW = 1000
#: Seconds after which a cluster that does not answer is given up; Ray itself tries for minutes.
PATIENCE = 5.0
#: Seconds between looks at whether somebody asked to stop.
LOOK = 0.5


def work(plan: str, folder: str, files: dict[str, bytes], task: int, again: bool) -> tuple[str, str]:
    """One task, on a node: its record as JSON, and the node it was done on."""
    import ray

    node = ray.get_runtime_context().get_node_id()
    shared = (Path(folder) / "sweep.json").is_file() and Path(plan).is_file()
    if shared and not again:
        return _taffeta.sweep_task(plan, task, str(Path(folder) / "tasks" / f"{task:06}")), node
    scratch = Path(tempfile.mkdtemp(prefix="taffeta-task-"))
    try:
        if not shared:
            plan = _unpack(files, scratch)
        return _taffeta.sweep_task(plan, task, str(scratch / "run")), node
    finally:
        shutil.rmtree(scratch, ignore_errors=True)


def _unpack(files: dict[str, bytes], scratch: Path) -> str:
    """Lays the files out under ``scratch`` as they were on the machine they come from, so that
    relative paths between them hold; absolute ones are led there. The path of the plan."""
    places = {name: _within(scratch, name) for name in files}
    folders = {Path(name).parent: place.parent for name, place in places.items()}
    for name, place in places.items():
        place.parent.mkdir(parents=True, exist_ok=True)
        content = files[name]
        if place.suffix == ".toml":
            # The deepest first, so that no folder is taken for one above it.
            for there, here in sorted(folders.items(), key=lambda pair: -len(pair[0].parts)):
                for quote in "\"'":
                    old, new = f"{quote}{there.as_posix()}/", f"{quote}{here.as_posix()}/"
                    content = content.replace(old.encode(), new.encode())
        place.write_bytes(content)
    return str(next(iter(places.values())))


def _within(scratch: Path, name: str) -> Path:
    path = Path(name)
    return scratch / "files" / path.relative_to(path.anchor)


def _pack(plan: Path, named: list[Path]) -> dict[str, bytes]:
    """What the tasks need, by absolute path, the plan first. A file that is not there is left out:
    the task that needs it tells."""
    paths = [plan, *(path for path in named if path.is_file())]
    return {Path(os.path.abspath(path)).as_posix(): path.read_bytes() for path in paths}


def records(address: str, plan: Path, folder: Path, tasks: list[int]) -> Iterator[str | None]:
    """Records as JSON, as they come; ``None`` now and then, to look whether to stop."""
    try:
        import ray
        from ray.exceptions import RayError
        from ray.util.scheduling_strategies import NodeAffinitySchedulingStrategy
    except ImportError as error:
        raise SweepError(f'--on needs Ray: pip install "taffeta[ray]" ({error})') from None
    started = _connect(ray, address)
    try:
        plan, folder = Path(plan).resolve(), Path(folder).resolve()
        threads, named = _taffeta.sweep_needs(str(plan))
        files = ray.put(_pack(plan, named))
        remote = ray.remote(num_cpus=threads, max_retries=RETRIES)(work)

        def submit(task: int, again: bool, node: str | None = None) -> Any:
            strategy = NodeAffinitySchedulingStrategy(node, soft=True) if node else "DEFAULT"
            chosen = remote.options(scheduling_strategy=strategy)
            return chosen.remote(str(plan), str(folder), files, task, again)

        done: dict[int, tuple[dict[str, Any], str]] = {}
        waiting: dict[Any, int] = {}
        left = list(reversed(tasks))
        while left or waiting:
            while left and len(waiting) < WINDOW:
                task = left.pop()
                waiting[submit(task, False)] = task
            ready, _ = ray.wait(list(waiting), timeout=LOOK)
            for reference in ready:
                task = waiting.pop(reference)
                try:
                    line, node = ray.get(reference)
                except RayError as error:
                    raise SweepError(f"task {task} could not be done on the cluster: {error}") from None
                done[task] = (json.loads(line), node)
                yield line
            if not ready:
                yield None
        yield from _compare(ray, submit, done)
    finally:
        if started:
            ray.shutdown()


def _compare(ray: Any, submit: Any, done: dict[int, tuple[dict[str, Any], str]]) -> Iterator[str]:
    """Does one task in a hundred again on another node; yields its record with what came of it."""
    sound = [task for task, (record, _) in sorted(done.items()) if record["state"] == "done"]
    alive = [node["NodeID"] for node in ray.nodes() if node["Alive"] and node["Resources"].get("CPU")]
    chosen = sound[::AGAIN]
    others = {task: [node for node in alive if node != done[task][1]] for task in chosen}
    again = {
        task: submit(task, True, others[task][i % len(others[task])] if others[task] else None)
        for i, task in enumerate(chosen)
    }
    for task, reference in again.items():
        line, _ = ray.get(reference)
        second = json.loads(line)
        record = {**done[task][0], "again": second["fingerprint"]}
        if second["fingerprint"] != record["fingerprint"]:
            record["state"] = "failed"
            record["message"] = (
                f"its frames have other bits on {second['machine']} than on {record['machine']}: "
                f"{second['fingerprint'] or second['message']}"
            )
        yield json.dumps(record)


def _knock(address: str) -> None:
    """Fails where nobody answers; ``auto`` and the like are known to Ray alone."""
    host, _, port = address.removeprefix("ray://").rpartition(":")
    if host and port.isdigit():
        socket.create_connection((host, int(port)), timeout=PATIENCE).close()


def _connect(ray: Any, address: str) -> bool:
    """Joins the cluster; whether that was not so before."""
    if ray.is_initialized():
        return False
    try:
        _knock(address)
        ray.init(address=address, log_to_driver=False, logging_level="error")
    except Exception as error:  # Ray raises many kinds, and none of them is ours.
        told = str(error).strip().splitlines() or [type(error).__name__]
        raise SweepError(
            f"the cluster {address} cannot be reached: {told[0]}; start one with `ray start --head`, "
            "or give the address of its head as ray://HOST:10001"
        ) from None
    return True
