"""Several simulations at once, and Ctrl-C."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import textwrap
import threading
import time
from pathlib import Path

import taffeta
from conftest import make_napkin


def test_several_simulations_run_in_several_threads():
    alone = make_napkin().build(threads=1)
    list(alone.frames(count=8))
    found: dict[int, str] = {}

    def work(number: int) -> None:
        simulation = make_napkin().build(threads=1)
        list(simulation.frames(count=8))
        found[number] = simulation.fingerprint

    threads = [threading.Thread(target=work, args=(number,)) for number in range(4)]
    [thread.start() for thread in threads]
    [thread.join() for thread in threads]
    assert set(found.values()) == {alone.fingerprint} and len(found) == 4


def test_python_goes_on_while_cloth_is_computed():
    simulation = make_napkin(41).build(threads=1)
    ticks = 0
    done = threading.Event()

    def work() -> None:
        list(simulation.frames(count=20))
        done.set()

    threading.Thread(target=work).start()
    while not done.is_set():
        ticks += 1
        time.sleep(0.001)
    assert ticks > 20


def test_one_simulation_may_be_looked_at_while_it_steps():
    simulation = make_napkin(21).build(threads=1)
    worker = threading.Thread(target=lambda: list(simulation.frames(count=20)))
    worker.start()
    seen = []
    while worker.is_alive():
        view = simulation.positions
        seen.append((view, view.sum()))
        time.sleep(0.002)
    worker.join()
    assert all(view.sum() == total for view, total in seen)


def test_ctrl_c_stops_within_a_moment_and_the_simulation_goes_on():
    program = textwrap.dedent(
        """
        import sys, time, taffeta
        scene = taffeta.Scene.from_file("twisted-cylinder")
        simulation = scene.build(threads=1)
        print("begun", flush=True)
        begun = time.time()
        try:
            for frame in simulation.frames():
                pass
        except KeyboardInterrupt:
            number = simulation.frame
            # At a whole frame, and as good as new.
            assert simulation.time == number / simulation.rate, simulation
            frames = simulation.frames(count=1)
            assert next(frames).number == number + 1
            print("stopped at", number, flush=True)
        """
    )
    running = subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE, text=True)
    assert running.stdout is not None and running.stdout.readline() == "begun\n"
    time.sleep(1.5)
    asked = time.monotonic()
    running.send_signal(signal.SIGINT)
    line = running.stdout.readline()
    assert line.startswith("stopped at"), line
    assert time.monotonic() - asked < 30
    assert running.wait() == 0


def test_the_command_stops_on_ctrl_c_and_says_how_to_go_on(tmp_path: Path):
    line = [sys.executable, "-m", "taffeta", "run", "twisted-cylinder", "--out", str(tmp_path / "run")]
    running = subprocess.Popen(line, stderr=subprocess.PIPE, text=True, env={**os.environ})
    while not list((tmp_path / "run").glob("frames/*.tff")):
        time.sleep(0.05)
        assert running.poll() is None
    running.send_signal(signal.SIGINT)
    _, told = running.communicate(timeout=20)
    assert running.returncode == 130, told
