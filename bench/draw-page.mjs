// Draws stored results as a page: `node bench/draw-page.mjs RESULTS.json [PAGE.html]`, after `npm run build:ts`. Pages are
// not kept in the repository: nine tenths of one is the chart library.
import { readFileSync, writeFileSync } from "node:fs";
import { pageModule } from "./page-module.mjs";

const [source, target = source?.replace(/\.json$/, ".html")] = process.argv.slice(2);
if (source === undefined || source === target) {
  console.error("node bench/draw-page.mjs RESULTS.json [PAGE.html]");
  process.exitCode = 2;
} else {
  const { benchPage } = await pageModule("page/page");
  writeFileSync(target, benchPage(JSON.parse(readFileSync(source, "utf8"))));
  console.log(target);
}
