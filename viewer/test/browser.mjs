// The page in a real browser: node browser.mjs TAFFETA CHROMIUM FOLDER
// Pictures of what it saw are left in the folder, to be looked at.

import { chromium } from "playwright-core";
import { spawn, spawnSync } from "node:child_process";
import { mkdirSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";

const [taffeta, executablePath, folder] = process.argv.slice(2);
const here = dirname(fileURLToPath(import.meta.url));
const woven = join(here, "woven.toml");
const args = ["--no-sandbox", "--use-angle=swiftshader", "--enable-unsafe-swiftshader"];
const viewport = { width: 900, height: 560 };
const PATIENCE = 30_000;

let [passed, failed] = [0, 0];
const complaints = [];
const servers = [];

function ok(is, what) {
  if (is) passed += 1;
  else failed += 1;
  console.log(`${is ? "ok    " : "FAILED"} ${what}`);
}

/** Starts the command and tells the address it prints. */
function serve(...words) {
  const server = spawn(taffeta, ["view", ...words, "--no-open"], { cwd: folder, stdio: ["ignore", "pipe", "inherit"] });
  servers.push(server);
  return new Promise((resolve, reject) => {
    let text = "";
    server.stdout.on("data", (data) => {
      text += data;
      const address = text.match(/http:\S+/);
      if (address) resolve(address[0]);
    });
    server.on("exit", (code) => reject(new Error(`taffeta view ended with ${code}`)));
  });
}

async function open(browser, address, options = {}) {
  const page = await browser.newPage({ viewport, ...options });
  page.setDefaultTimeout(PATIENCE);
  page.on("console", (message) => message.type() === "error" && complaints.push(message.text()));
  page.on("pageerror", (error) => complaints.push(error.message));
  page.on("request", (request) => {
    const url = new URL(request.url());
    const own = ["127.0.0.1", ""].includes(url.hostname) || url.protocol === "data:" || url.protocol === "blob:";
    if (!own) complaints.push(`a request to ${url.hostname}`);
  });
  await page.goto(address);
  await page.waitForFunction(() => globalThis.taffeta?.stage.frame);
  return page;
}

const number = async (page) => (await told(page, () => taffeta.stage.frame && [taffeta.stage.frame.number]))[0];
const status = (page, key) => page.evaluate((key) => taffeta.status()?.[key], key);
const place = (page, i) => told(page, (i) => taffeta.stage.frame && taffeta.stage.particle(i).toArray(), i);
/** Where a particle is on the canvas, once the cloth has not torn for some pictures: what has torn is shown with the next frame, and until then there is nothing to take hold of. */
const seen = async (page, i) => {
  await page.evaluate(() => (globalThis.calm = 0));
  await until(page, () => (globalThis.calm = taffeta.stage.frame ? globalThis.calm + 1 : 0) > 10);
  return told(page, (i) => taffeta.stage.frame && taffeta.stage.project(taffeta.stage.particle(i)), i);
};
/** What a page answers as soon as it knows. */
const told = async (page, what, given) => {
  const answer = await page.waitForFunction(what, given, { timeout: PATIENCE });
  return answer.jsonValue();
};
const until = (page, what, given) => page.waitForFunction(what, given, { timeout: PATIENCE }).then(() => true, () => false);
const picture = (page, name) => page.screenshot({ path: join(folder, `${name}.png`), timeout: PATIENCE });

/** How many pixels of the canvas have the colours of cloth, out of a thousand. */
const clothPixels = (page) =>
  page.evaluate(() => {
    const { canvas } = taffeta.stage;
    const copy = Object.assign(document.createElement("canvas"), { width: 200, height: 120 });
    const context = copy.getContext("2d");
    context.drawImage(canvas, 0, 0, 200, 120);
    const { data } = context.getImageData(0, 0, 200, 120);
    let count = 0;
    for (let i = 0; i < data.length; i += 4) if (data[i] > data[i + 2] + 30) count += 1;
    return (1000 * count) / (200 * 120);
  });

async function drag(page, button, from, to, steps = 8) {
  await page.mouse.move(...from);
  await page.mouse.down({ button });
  for (let i = 1; i <= steps; i++) {
    const s = i / steps;
    await page.mouse.move(from[0] + (to[0] - from[0]) * s, from[1] + (to[1] - from[1]) * s);
  }
}

async function liveTests(browser) {
  const address = await serve(woven);
  const page = await open(browser, address);
  ok(await until(page, () => taffeta.stage.frame?.number > 2 && taffeta.status()), "the cloth moves by itself");
  const shown = await clothPixels(page);
  ok(shown > 40, `the canvas shows cloth: ${shown.toFixed(0)} ‰ of its pixels`);
  ok((await status(page, "intersections")) !== undefined && (await status(page, "fingerprint")).length === 16, "the instruments are told");
  await picture(page, "live");

  const low = 20 * 21 + 10;
  const before = await place(page, low);
  const at = await seen(page, low);
  await drag(page, "left", at, [at[0] + 60, at[1]]);
  const moved = await until(page, ([i, x]) => taffeta.stage.frame && taffeta.stage.particle(i).x > x + 0.004, [low, before[0]]);
  ok(moved, "dragging moves the cloth");
  ok(await until(page, () => !document.getElementById("force").hidden && /\d N/.test(document.getElementById("force").textContent)), "the force at the cursor is told in newtons");
  await page.mouse.up();

  const pinned = await status(page, "pinned");
  await page.keyboard.down("Shift");
  await page.mouse.click(...(await seen(page, 10 * 21 + 15)));
  await page.keyboard.up("Shift");
  ok(await until(page, (n) => taffeta.status().pinned === n + 1, pinned), "Shift-click pins");
  await page.evaluate(() => document.getElementById("undo").click());
  ok(await until(page, (n) => taffeta.status().pinned === n, pinned), "undo takes the pin back");

  const [left, right] = [await seen(page, 14 * 21), await seen(page, 14 * 21 + 8)];
  await drag(page, "right", [left[0] - 15, left[1]], right);
  await page.mouse.up({ button: "right" });
  ok(await until(page, () => taffeta.status().torn > 3), `the cut cuts: ${await status(page, "torn")} spans`);
  await picture(page, "cut");

  const torn = await status(page, "torn");
  const middle = await seen(page, 10 * 21 + 13);
  await drag(page, "left", middle, [middle[0] + 220, middle[1] + 150], 14);
  const ripped = await until(page, (n) => taffeta.status().torn > n + 3, torn);
  ok(ripped, `a hard pull tears: ${await status(page, "torn")} spans`);
  await picture(page, "torn");
  await page.mouse.up();
  const ends = await page.evaluate(() => {
    const { points } = taffeta.stage.topology;
    let ends = 0;
    for (let i = 1; i < points.length; i += 2) ends += (points[i] & 64) > 0 ? 1 : 0;
    return taffeta.stage.yarns.mesh.visible ? ends : -1;
  });
  ok(ends > 6, `frays are drawn: ${ends} torn ends of yarns`);

  await page.keyboard.press("p");
  ok(await until(page, () => taffeta.status().playing === false), "P pauses");
  const still = await number(page);
  await page.keyboard.press("o");
  ok(await until(page, (n) => taffeta.stage.frame?.number === n + 1, still), "O makes one step");
  await page.keyboard.press("p");
  ok(await until(page, (n) => taffeta.stage.frame?.number > n + 2, still), "P goes on");
  await page.keyboard.press("Tab");
  ok(await page.isHidden("#interface"), "Tab hides the interface");
  await page.keyboard.press("Tab");

  const reached = await number(page);
  await page.reload();
  ok(await until(page, (n) => globalThis.taffeta?.stage.frame?.number > n, reached), "a page that is loaded again goes on");
  const other = await open(browser, address);
  const together = [await number(page), await number(other)];
  ok(await until(other, (n) => taffeta.stage.frame?.number > n, together[1]), "a second page sees it too");
  ok((await clothPixels(other)) > 20, "and shows cloth");
  await other.close();
  await page.keyboard.press("r");
  ok(await until(page, () => taffeta.status()?.torn === 0), "R begins again");
  await page.selectOption("#look", "strain");
  ok(await page.isVisible("#legend"), "strain has a legend");
  await page.keyboard.press("]");
  ok(await until(page, () => taffeta.status().scene !== "woven"), "] shows the next scene");
  await page.close();
}

async function runTests(browser) {
  const run = join(folder, "run");
  const made = spawnSync(taffeta, ["run", woven, "--out", run], { encoding: "utf8" });
  ok(made.status === 0, `a run is made ${made.status === 0 ? "" : made.stderr}`);
  const page = await open(browser, await serve(run));
  ok(await until(page, () => taffeta.player().index > 2), "a run is played");
  await page.evaluate(() => {
    const line = document.getElementById("timeline");
    line.value = "7";
    line.dispatchEvent(new Event("input"));
  });
  ok(await until(page, () => taffeta.stage.frame?.number === 7 && !taffeta.player().playing), "its timeline can be scrubbed");
  const exact = await place(page, 220);
  await picture(page, "run");
  await page.close();

  const file = join(folder, "page.html");
  const packed = spawnSync(taffeta, ["view", run, "--page", file], { encoding: "utf8" });
  ok(packed.status === 0, `a page is made: ${packed.stdout.trim()}${packed.stderr}`);
  const single = await open(browser, pathToFileURL(file).href);
  ok(await until(single, () => taffeta.player().index > 1), "the single file plays from disk");
  await single.evaluate(() => taffeta.player().playing && document.getElementById("play").click());
  await single.evaluate(() => taffeta.player().seek(7));
  ok(await until(single, () => taffeta.stage.frame?.number === 7), "its timeline can be scrubbed");
  const near = await place(single, 220);
  const away = Math.hypot(...near.map((x, i) => x - exact[i]));
  ok(away < 1e-5, `its places are exact to ${(away * 1e6).toFixed(1)} µm`);
  ok((await clothPixels(single)) > 40, "it shows cloth");
  await picture(single, "page");
  await single.close();
}

rmSync(folder, { recursive: true, force: true });
mkdirSync(folder, { recursive: true });
const browser = await chromium.launch({ executablePath, args });
try {
  await liveTests(browser);
  await runTests(browser);
} catch (error) {
  ok(false, String(error));
} finally {
  await browser.close();
  for (const server of servers) server.kill("SIGKILL");
}
ok(complaints.length === 0, `no complaints in the console ${complaints.join("; ")}`);
console.log(`\n${passed} passed, ${failed} failed`);
process.exit(failed ? 1 : 0);
