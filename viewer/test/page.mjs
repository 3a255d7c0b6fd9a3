// What the tests in a browser share: servers, pages, and waiting for what is, not for how long.

import { spawn } from "node:child_process";
import { join } from "node:path";

/** How long something may take that has to come [ms]: far longer than on the busiest machine. What comes is waited for no longer than it takes. */
export const PATIENCE = 120_000;

const viewport = { width: 820, height: 560 };

let [passed, failed] = [0, 0];
const complaints = [];
const servers = [];

export function ok(is, what) {
  if (is) passed += 1;
  else failed += 1;
  console.log(`${is ? "ok    " : "FAILED"} ${what}`);
}

/** The end: nothing may have complained. */
export function conclude() {
  for (const server of servers) server.kill("SIGKILL");
  ok(complaints.length === 0, `no complaints in the console ${complaints.join("; ")}`);
  console.log(`\n${passed} passed, ${failed} failed`);
  return failed;
}

/** What is run with: the command, the browser, and where pictures go. */
export class Bench {
  constructor(taffeta, browser, folder) {
    Object.assign(this, { taffeta, browser, folder });
  }

  /** Starts the command and tells the address it prints. */
  serve(...words) {
    const stdio = ["ignore", "pipe", "inherit"];
    const server = spawn(this.taffeta, ["view", ...words, "--no-open"], { cwd: this.folder, stdio });
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

  async open(address, options = {}) {
    const page = await this.browser.newPage({ viewport, ...options });
    page.setDefaultTimeout(PATIENCE);
    page.on("console", (message) => message.type() === "error" && complaints.push(message.text()));
    page.on("pageerror", (error) => complaints.push(error.message));
    page.on("request", (request) => {
      const url = new URL(request.url());
      const own = ["127.0.0.1", ""].includes(url.hostname) || ["data:", "blob:"].includes(url.protocol);
      if (!own) complaints.push(`a request to ${url.hostname}`);
    });
    await page.goto(address);
    await page.waitForFunction(() => globalThis.taffeta?.stage.frame);
    return page;
  }

  picture(page, name) {
    return page.screenshot({ path: join(this.folder, `${name}.png`), timeout: PATIENCE });
  }
}

/** Whether something becomes so. */
export const until = (page, what, given) =>
  page.waitForFunction(what, given, { timeout: PATIENCE, polling: 50 }).then(() => true, () => false);

/** What a page answers as soon as it knows. */
export const told = async (page, what, given) => (await page.waitForFunction(what, given, { timeout: PATIENCE, polling: 50 })).jsonValue();

export const number = async (page) => (await told(page, () => taffeta.stage.frame && [taffeta.stage.frame.number]))[0];
export const place = (page, i) => told(page, (i) => taffeta.stage.frame && taffeta.stage.particle(i).toArray(), i);
export const status = (page, key) => page.evaluate((key) => taffeta.status()?.[key], key);
export const click = (page, id) => page.evaluate((id) => document.getElementById(id).click(), id);

/** Stands still, so that what is seen is there when it is touched; what has torn is shown with the frame that follows. */
export async function pause(page) {
  if (await status(page, "playing")) await click(page, "play");
  await until(page, () => taffeta.status().playing === false);
  await settle(page);
}

/** Waits for the picture of what the server last told. */
export const settle = (page) => until(page, () => taffeta.stage.frame?.number === taffeta.status().frame && !taffeta.stage.waiting);

export async function play(page) {
  if (!(await status(page, "playing"))) await click(page, "play");
  await until(page, () => taffeta.status().playing);
}

/** Where a particle is on the canvas. */
export const seen = (page, i) => told(page, (i) => taffeta.stage.frame && taffeta.stage.project(taffeta.stage.particle(i)), i);

/** Sets a slider or a list as a hand does. */
export const set = (page, id, value) =>
  page.evaluate(([id, value]) => {
    const input = document.getElementById(id);
    input.value = value;
    for (const event of ["input", "change"]) input.dispatchEvent(new Event(event));
  }, [id, String(value)]);

/** Presses a button of the mouse and moves; it is let go by whoever asked. */
export async function drag(page, button, from, to, steps = 5) {
  await page.mouse.move(...from);
  await page.mouse.down({ button });
  for (let i = 1; i <= steps; i++) {
    const s = i / steps;
    await page.mouse.move(from[0] + (to[0] - from[0]) * s, from[1] + (to[1] - from[1]) * s);
  }
}

/** Whether so many of a thousand pixels of the canvas get the colours of cloth. */
export const showsCloth = (page, least) =>
  until(page, (least) => {
    const { canvas } = taffeta.stage;
    const copy = Object.assign(document.createElement("canvas"), { width: 200, height: 120 });
    const context = copy.getContext("2d");
    context.drawImage(canvas, 0, 0, 200, 120);
    const { data } = context.getImageData(0, 0, 200, 120);
    let count = 0;
    for (let i = 0; i < data.length; i += 4) if (data[i] > data[i + 2] + 30) count += 1;
    return (1000 * count) / (200 * 120) > least;
  }, least);
