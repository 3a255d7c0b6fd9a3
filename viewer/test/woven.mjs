// Woven cloth under a mouse: pulled, pinned, cut, torn; keys, reload, a second page.

import { click, drag, number, ok, pause, place, play, seen, settle, showsCloth, status, told, until } from "./page.mjs";

const SIDE = 17;

export async function woven(bench, scene) {
  const address = await bench.serve(scene);
  const page = await bench.open(address);
  ok(await until(page, () => taffeta.stage.frame?.number > 2 && taffeta.status()), "the cloth moves by itself");
  ok(await showsCloth(page, 40), "the canvas shows cloth");
  ok((await status(page, "fingerprint")).length === 16, "the instruments are told");
  await pulls(bench, page);
  await pins(page);
  await cuts(bench, page);
  await tears(bench, page);
  await keys(page);
  await pages(bench, page, address);
  await page.close();
}

async function pulls(bench, page) {
  await pause(page);
  await bench.picture(page, "live");
  const low = (SIDE - 2) * SIDE + 8;
  const [before, at] = [await place(page, low), await seen(page, low)];
  await drag(page, "left", at, [at[0] + 60, at[1]]);
  await play(page);
  ok(await until(page, ([i, x]) => taffeta.stage.frame && taffeta.stage.particle(i).x > x + 0.004, [low, before[0]]), "dragging moves the cloth");
  ok(await until(page, () => !document.getElementById("force").hidden && /\d N/.test(document.getElementById("force").textContent)), "the force at the cursor is told in newtons");
  await page.mouse.up();
  ok(await until(page, () => taffeta.stage.frame?.place === null), "letting go lets go");
}

async function pins(page) {
  await pause(page);
  const pinned = await status(page, "pinned");
  const at = await seen(page, 8 * SIDE + 12);
  await page.keyboard.down("Shift");
  await page.mouse.click(...at);
  ok(await until(page, (n) => taffeta.status().pinned === n + 1, pinned), "Shift-click pins");
  await settle(page);
  await page.mouse.click(...at);
  ok(await until(page, (n) => taffeta.status().pinned === n, pinned), "and unpins");
  await page.keyboard.up("Shift");
  await click(page, "undo");
  ok(await until(page, (n) => taffeta.status().pinned === n + 1, pinned), "undo pins again");
  await page.keyboard.press("Control+z");
  ok(await until(page, (n) => taffeta.status().pinned === n, pinned), "Ctrl-Z takes the pin back");
}

async function cuts(bench, page) {
  await pause(page);
  const torn = await status(page, "torn");
  const [edge, middle] = [await seen(page, 11 * SIDE + SIDE - 1), await seen(page, 11 * SIDE + SIDE - 7)];
  await drag(page, "right", [edge[0] + 15, edge[1]], middle);
  await page.mouse.up({ button: "right" });
  ok(await until(page, (n) => taffeta.status().torn > n, torn), `the cut cuts: ${await status(page, "torn")} spans`);
  await bench.picture(page, "cut");
}

async function tears(bench, page) {
  await pause(page);
  const torn = await status(page, "torn");
  const middle = await seen(page, 8 * SIDE + 10);
  await drag(page, "left", middle, [middle[0] + 220, middle[1] + 130]);
  await play(page);
  const ripped = await until(page, (n) => taffeta.status().torn > n + 3, torn);
  ok(ripped, `a hard pull tears: ${await status(page, "torn")} spans`);
  await page.mouse.up();
  await pause(page);
  await bench.picture(page, "torn");
  const ends = await told(page, () => {
    const { points } = taffeta.stage.topology;
    let ends = 0;
    for (let i = 1; i < points.length; i += 2) ends += (points[i] & 64) > 0 ? 1 : 0;
    return taffeta.stage.yarns.mesh.visible && [ends];
  });
  ok(ends[0] > 6, `frays are drawn: ${ends[0]} torn ends of yarns`);
}

async function keys(page) {
  await play(page);
  await page.keyboard.press("p");
  ok(await until(page, () => taffeta.status().playing === false), "P pauses");
  await pause(page);
  const still = await number(page);
  await page.keyboard.press("o");
  ok(await until(page, (n) => taffeta.stage.frame?.number === n + 1, still), "O makes one step");
  await page.keyboard.press("p");
  ok(await until(page, (n) => taffeta.stage.frame?.number > n + 2, still), "P goes on");
  await page.keyboard.press("Tab");
  ok(await page.isHidden("#interface"), "Tab hides the interface");
  await page.keyboard.press("Tab");
  await page.keyboard.press("m");
  ok(await page.isHidden("#instruments"), "M hides the instruments");
  await page.keyboard.press("m");
  ok((await page.isVisible("#interface")) && (await page.isVisible("#instruments")), "and both come back");
  await page.selectOption("#look", "strain");
  ok(await page.isVisible("#legend"), "strain has a legend");
  await page.selectOption("#look", "wire");
  ok(await until(page, () => taffeta.stage.cloth.wire.visible), "wire is drawn");
}

async function pages(bench, page, address) {
  const reached = await number(page);
  await page.reload();
  ok(await until(page, (n) => globalThis.taffeta?.stage.frame?.number > n, reached), "a page that is loaded again goes on");
  const other = await bench.open(address);
  const together = await number(other);
  ok(await until(other, (n) => taffeta.stage.frame?.number > n, together), "a second page sees it too");
  ok(await showsCloth(other, 10), "and shows cloth");
  await other.keyboard.press("r");
  ok(await until(page, () => taffeta.status()?.torn === 0), "R in one page begins again in both");
  await other.close();
  await page.keyboard.press("]");
  ok(await until(page, () => taffeta.status().scene !== "woven"), "] shows the next scene");
  await page.keyboard.press("[");
  ok(await until(page, () => taffeta.status().scene === "woven"), "[ goes back");
}
