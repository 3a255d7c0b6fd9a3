// The page in a real browser: node browser.mjs TAFFETA CHROMIUM FOLDER
//
// Nothing is measured by the clock: tests wait for what has to come, and look at cloth that stands
// still, so that they find the same on a busy machine, only later. Pictures of what was seen are left
// in the folder, to be looked at.

import { chromium } from "playwright-core";
import { mkdirSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { drape } from "./drape.mjs";
import { Bench, conclude, ok } from "./page.mjs";
import { runs } from "./runs.mjs";
import { woven } from "./woven.mjs";

const [taffeta, executablePath, folder] = process.argv.slice(2);
const here = dirname(fileURLToPath(import.meta.url));
const args = ["--no-sandbox", "--use-angle=swiftshader", "--enable-unsafe-swiftshader"];

rmSync(folder, { recursive: true, force: true });
mkdirSync(folder, { recursive: true });
const browser = await chromium.launch({ executablePath, args });
const bench = new Bench(taffeta, browser, folder);
try {
  await woven(bench, join(here, "woven.toml"));
  await drape(bench, join(here, "drape.toml"));
  await runs(bench, join(here, "woven.toml"));
} catch (error) {
  ok(false, String(error));
} finally {
  await browser.close();
}
process.exit(conclude() ? 1 : 0);
