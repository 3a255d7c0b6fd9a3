// Builds the page into a folder: the script with all it needs, and the files beside it.
import { build } from "esbuild";
import { cpSync, mkdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const here = dirname(fileURLToPath(import.meta.url));
const to = process.argv[2];
if (!to) {
  console.error("usage: node build.mjs FOLDER");
  process.exit(2);
}
mkdirSync(to, { recursive: true });
await build({
  entryPoints: [join(here, "src/main.ts")],
  outfile: join(to, "app.js"),
  bundle: true,
  minify: true,
  format: "iife",
  target: "es2022",
  charset: "utf8",
  legalComments: "inline",
});
for (const name of ["index.html", "style.css", "icon.svg"]) {
  cpSync(join(here, "src", name), join(to, name));
}
