// Cloth with limits over a ball: the tools, sliders and solids, touch, clips, saving, narrow screens.

import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { click, drag, number, ok, pause, place, play, seen, set, status, told, until } from "./page.mjs";

const SIDE = 11;
const MIDDLE = 5 * SIDE + 5;

export async function drape(bench, scene) {
  const address = await bench.serve(scene);
  const page = await bench.open(address, { acceptDownloads: true });
  await until(page, () => taffeta.status());
  await tools(bench, page);
  await sliders(page);
  await solids(page);
  await saving(bench, page);
  await clip(page);
  await page.close();
  await touch(bench, address);
  await narrow(bench, address);
}

async function tools(bench, page) {
  await pause(page);
  await page.mouse.move(...(await seen(page, MIDDLE)));
  await page.keyboard.press("b");
  ok(await until(page, () => taffeta.stage.bodies.group.children.length === 3), "B throws a ball");
  await play(page);
  ok(await until(page, () => taffeta.status().contacts > 0), "it hits the cloth");
  await bench.picture(page, "ball");
  await set(page, "fabric", "denim");
  const swapped = await number(page);
  ok(await until(page, (n) => taffeta.status().fabric === "denim" && taffeta.status().frame > n + 8 && taffeta.status().playing, swapped), "the fabric can be swapped while it flies");
  await page.click('[data-tool="ball"]');
  await pause(page);
  const done = await status(page, "done");
  await page.mouse.click(...(await seen(page, MIDDLE)));
  ok(await until(page, (n) => taffeta.status().done === n + 1, done), "so does the tool Ball with a click");
  await page.keyboard.press("f");
  ok(await until(page, () => taffeta.status().fan && taffeta.stage.marks.fan.visible), "F turns the fan on, which is drawn");
  const [, blew] = await status(page, "fan");
  const at = await seen(page, MIDDLE);
  await drag(page, "left", at, [at[0] + 120, at[1] - 60]);
  await page.mouse.up();
  ok(await until(page, (x) => taffeta.status().fan[1][0] !== x, blew[0]), "dragging aims it");
  await set(page, "fan-speed", 12);
  ok(await until(page, () => document.getElementById("fan-out").textContent === "12 m/s"), "its speed is told in m/s");
  await play(page);
  await bench.picture(page, "fan");
  await page.keyboard.press("f");
  ok(await until(page, () => taffeta.status().fan === null), "F turns it off");
}

async function sliders(page) {
  const said = (id) => page.evaluate((id) => document.getElementById(`${id}-out`).textContent, id);
  await set(page, "gravity", 4);
  ok(await until(page, () => Math.abs(taffeta.status().gravity[1] + 4) < 1e-9), "gravity can be changed");
  await set(page, "wind-x", 2);
  await until(page, () => taffeta.status().wind[0] === 2);
  await set(page, "wind-z", -1);
  ok(await until(page, () => taffeta.status().wind[0] === 2 && taffeta.status().wind[2] === -1), "and the wind");
  await set(page, "limit", -1.3);
  ok(await until(page, () => Math.abs(taffeta.status().limit - 10 ** -1.3) < 1e-6), "and the strain limit");
  await set(page, "friction", 0.9);
  ok(await until(page, () => taffeta.status().friction === 0.9), "and friction");
  await set(page, "speed", -1);
  ok(await until(page, () => taffeta.status().speed === 0.5), "and the speed");
  await set(page, "speed", 0);
  ok(await until(page, () => document.getElementById("gravity-out").textContent === "4.00 m/s²"), `with units: ${await said("gravity")}, ${await said("wind-x")}, ${await said("limit")}`);
  ok((await status(page, "intersections")) === 0 || (await until(page, () => taffeta.status().intersections === 0)), "no intersections");
}

async function solids(page) {
  await click(page, "restart");
  await until(page, () => taffeta.status().done === 0);
  await page.click('[data-tool="pull"]');
  await pause(page);
  // The second, which the cloth does not cover.
  const [before, at] = await told(page, () => {
    const { frame, bodies } = taffeta.stage;
    return frame && bodies.group.children.length === 2 && [bodies.origin(1).x, taffeta.stage.project(bodies.origin(1))];
  });
  await drag(page, "left", at, [at[0] + 50, at[1]]);
  ok(await until(page, () => taffeta.status().done > 0 && !taffeta.stage.frame?.place), "a solid can be taken hold of");
  await play(page);
  ok(await until(page, (x) => taffeta.stage.bodies.origin(1).x > x + 0.01, before), "and dragged");
  await page.mouse.up();
}

async function saving(bench, page) {
  const saved = (word) => told(page, (word) => [...document.querySelectorAll("#notices .saved")].map((n) => n.textContent).find((text) => text.includes(word)), word);
  await pause(page);
  await click(page, "record");
  const recording = (await saved("taffeta run")).match(/taffeta run (.*)$/)[1];
  const again = spawnSync(bench.taffeta, ["run", recording, "--out", "again"], { cwd: bench.folder, encoding: "utf8" });
  ok(again.status === 0 && /has the bits/.test(again.stdout), `what hands did runs again to the same bits: ${again.stdout.split("\n").find((line) => /bits/.test(line)) ?? again.stderr}`);
  await click(page, "save");
  const [, toml, state] = (await saved("--from")).match(/taffeta view (\S+) --from (\S+)/);
  const frame = await number(page);
  const goes = await bench.open(await bench.serve(toml, "--from", state));
  ok((await number(goes)) >= frame, "a saved state goes on from where it was");
  await goes.close();
  await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
  await page.bringToFront();
  await page.click("#copy");
  ok(await until(page, async () => (await navigator.clipboard.readText()).includes("[cloth")), "the scene's text can be copied");
}

async function clip(page) {
  await play(page);
  await page.click("#clip");
  await until(page, () => taffeta.clip.size > 2000);
  const [download] = await Promise.all([page.waitForEvent("download"), page.click("#clip")]);
  const bytes = readFileSync(await download.path());
  const webm = bytes.length > 500 && bytes.readUInt32BE(0) === 0x1a45dfa3;
  ok(webm && /\.webm$/.test(download.suggestedFilename()), `a clip is saved: ${download.suggestedFilename()}, ${bytes.length} bytes`);
}

/** Fingers, as the browser itself makes them. */
async function fingers(page, ways, steps = 4) {
  const session = await page.context().newCDPSession(page);
  const at = (s) => ways.map(([from, to], id) => ({ id, x: from[0] + (to[0] - from[0]) * s, y: from[1] + (to[1] - from[1]) * s }));
  const touch = (type, touchPoints) => session.send("Input.dispatchTouchEvent", { type, touchPoints });
  // One finger after another.
  for (let n = 1; n <= ways.length; n++) await touch("touchStart", at(0).slice(0, n));
  for (let i = 1; i <= steps; i++) await touch("touchMove", at(i / steps));
  return () => touch("touchEnd", []);
}

async function touch(bench, address) {
  const page = await bench.open(address, { viewport: { width: 800, height: 600 }, hasTouch: true });
  await page.keyboard.press("r");
  await until(page, () => taffeta.status()?.done === 0);
  await pause(page);
  const corner = 3 * SIDE + 8;
  const [before, at] = [await place(page, corner), await seen(page, corner)];
  const lift = await fingers(page, [[at, [at[0] + 40, at[1] - 60]]]);
  ok(await until(page, () => taffeta.status().done > 1), "a finger takes hold of the cloth");
  await play(page);
  ok(await until(page, ([i, y]) => taffeta.stage.frame && taffeta.stage.particle(i).y > y + 0.01, [corner, before[1]]), "and lifts it");
  await lift();
  ok(await until(page, () => taffeta.stage.frame?.place === null), "and lets go");
  await pause(page);
  await page.click('[data-tool="pin"]');
  const pinned = await status(page, "pinned");
  await page.touchscreen.tap(...(await seen(page, MIDDLE)));
  ok(await until(page, (n) => taffeta.status().pinned === n + 1, pinned), "a tap with the tool Pin pins");
  await page.click('[data-tool="pull"]');
  const eye = () => page.evaluate(() => [taffeta.stage.camera.position.distanceTo(taffeta.stage.controls.target), taffeta.stage.camera.position.x]);
  const [, aside] = await eye();
  await (await fingers(page, [[[650, 480], [560, 480]]]))();
  ok(await until(page, (x) => Math.abs(taffeta.stage.camera.position.x - x) > 0.01, aside), "a finger beside it looks around");
  const [far] = await eye();
  const done = await status(page, "done");
  const middle = await seen(page, MIDDLE);
  const lifted = await fingers(page, [[middle, [middle[0] - 60, middle[1]]], [[middle[0] + 50, middle[1]], [middle[0] + 160, middle[1]]]]);
  ok(await until(page, (far) => taffeta.stage.camera.position.distanceTo(taffeta.stage.controls.target) < far * 0.9, far), "two fingers zoom, also on the cloth");
  await lifted();
  ok(await until(page, (n) => taffeta.status().done >= n && taffeta.stage.frame?.number === taffeta.status().frame, done), "and pull nothing");
  await bench.picture(page, "touch");
  await page.close();
}

/** No card lies over another, and no button breaks its line. */
async function narrow(bench, address) {
  for (const [width, height] of [[380, 700], [640, 480], [820, 560], [1280, 800]]) {
    const page = await bench.open(address, { viewport: { width, height } });
    await until(page, () => taffeta.status());
    const problems = await page.evaluate(() => {
      const seen = [...document.querySelectorAll(".card")].filter((card) => card.offsetParent !== null && card.offsetHeight);
      const boxes = seen.map((card) => [card.id || card.tagName, card.getBoundingClientRect()]);
      const found = [];
      for (const [i, [name, a]] of boxes.entries()) {
        if (a.left < 0 || a.top < 0 || a.right > innerWidth || a.bottom > innerHeight) found.push(`${name} is cut off`);
        for (const [other, b] of boxes.slice(i + 1)) {
          if (a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom) found.push(`${name} over ${other}`);
        }
      }
      for (const button of document.querySelectorAll("button")) if (button.offsetHeight > 40) found.push(`${button.id} breaks its line`);
      return found;
    });
    const low = await told(page, () => {
      const { stage } = taffeta;
      if (!stage.frame) return null;
      let low = 0;
      for (let i = 0; i < stage.topology.particles; i++) low = Math.max(low, stage.project(stage.particle(i))[1]);
      return [low, document.getElementById("footer").getBoundingClientRect().top];
    });
    if (low[0] > low[1]) problems.push(`the cloth ends at ${low[0].toFixed(0)} behind the controls at ${low[1].toFixed(0)}`);
    ok(problems.length === 0, `${width} × ${height} has room for all ${problems.join("; ")}`);
    await bench.picture(page, `at-${width}`);
    await page.close();
  }
}
