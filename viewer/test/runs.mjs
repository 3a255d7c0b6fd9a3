// A run that is played: from its folder, and from one file on disk.

import { spawnSync } from "node:child_process";
import { statSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { ok, place, set, showsCloth, until } from "./page.mjs";

export async function runs(bench, scene) {
  const run = join(bench.folder, "run");
  const made = spawnSync(bench.taffeta, ["run", scene, "--out", run], { encoding: "utf8" });
  ok(made.status === 0, `a run is made ${made.status === 0 ? "" : made.stderr}`);
  const page = await bench.open(await bench.serve(run));
  ok(await until(page, () => taffeta.player().index > 2), "a run is played");
  await set(page, "timeline", 7);
  ok(await until(page, () => taffeta.stage.frame?.number === 7 && !taffeta.player().playing), "its timeline can be scrubbed");
  const exact = await place(page, 200);
  await page.keyboard.press("o");
  ok(await until(page, () => taffeta.stage.frame?.number === 8), "O shows the next frame");
  await page.keyboard.press("r");
  ok(await until(page, () => taffeta.stage.frame?.number === 0), "R goes to the first");
  await page.keyboard.press("p");
  ok(await until(page, () => taffeta.stage.frame?.number > 1), "P plays on");
  await bench.picture(page, "run");
  await page.close();
  await single(bench, run, exact);
}

async function single(bench, run, exact) {
  const file = join(bench.folder, "page.html");
  const packed = spawnSync(bench.taffeta, ["view", run, "--page", file], { encoding: "utf8" });
  ok(packed.status === 0 && statSync(file).size < 20e6, `a page is made: ${packed.stdout.trim()}${packed.stderr}`);
  const page = await bench.open(pathToFileURL(file).href);
  ok(await until(page, () => taffeta.player().index > 1), "the single file plays from disk");
  await page.keyboard.press("p");
  await until(page, () => !taffeta.player().playing);
  await set(page, "timeline", 7);
  ok(await until(page, () => taffeta.stage.frame?.number === 7), "its timeline can be scrubbed");
  const near = await place(page, 200);
  const away = Math.hypot(...near.map((x, i) => x - exact[i]));
  ok(away < 1e-5, `its places are exact to ${(away * 1e6).toFixed(1)} µm`);
  ok(await showsCloth(page, 40), "it shows cloth");
  await bench.picture(page, "page");
  await page.close();
}
