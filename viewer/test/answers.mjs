// How long the cloth takes to answer a hand, up to the drawn picture: node answers.mjs TAFFETA CHROMIUM FOLDER
//
// A real pointer pulls in a real browser; the page takes the time from the pointer's event to the end
// of drawing the first picture of cloth that felt it. The browser draws without a graphics card, on
// the cores that the simulation has too.

import { chromium } from "playwright-core";
import { mkdirSync } from "node:fs";
import { Bench, conclude, seen, until } from "./page.mjs";

const [taffeta, executablePath, folder] = process.argv.slice(2);
const args = ["--no-sandbox", "--use-angle=swiftshader", "--enable-unsafe-swiftshader"];

const SCENES = [
  { what: "41 × 41, limits, self-contact", words: ["drape-limit", "--set", "cloth.sheet.particles=[41, 41]"], particle: 20 * 41 + 4, to: [-60, 140] },
  { what: "64 × 64 yarns, tearing", words: ["rip"], particle: 40 * 64 + 32, to: [90, 130] },
];

mkdirSync(folder, { recursive: true });
const browser = await chromium.launch({ executablePath, args });
const bench = new Bench(taffeta, browser, folder);
for (const { what, words, particle, to } of SCENES) {
  const page = await bench.open(await bench.serve(...words));
  await until(page, () => taffeta.stage.frame.number > 20);
  const from = await seen(page, particle);
  await page.mouse.move(...from);
  await page.mouse.down();
  // There and back, as fast as a hand moves.
  const moves = 240;
  for (let i = 1; i <= moves; i++) {
    const s = 0.5 - 0.5 * Math.cos((2 * Math.PI * i) / moves);
    await page.mouse.move(from[0] + to[0] * s, from[1] + to[1] * s);
    await page.waitForTimeout(16);
  }
  await bench.picture(page, words[0]);
  await page.mouse.up();
  const times = await page.evaluate(() => [...taffeta.answer.times].sort((a, b) => a - b));
  const { fps, torn } = await page.evaluate(() => taffeta.status());
  const part = (share) => times[Math.min(times.length - 1, Math.floor(times.length * share))]?.toFixed(0);
  console.log(`${what}: from hand to picture within 100 ms asked`);
  console.log(`  ${times.length} answers: median ${part(0.5)} ms, 95 % within ${part(0.95)}, the longest ${part(1)}; ${fps} frames/s, ${torn ?? "no"} spans torn`);
  await page.close();
}
await browser.close();
process.exit(conclude() ? 1 : 0);
