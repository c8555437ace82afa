// Draws docs/overhead.svg, the picture of the README, from stored results: `node bench/draw-picture.mjs [RESULTS.json]`,
// after `npm run build:ts`.
import { readFileSync, writeFileSync } from "node:fs";
import { pageModule } from "./page-module.mjs";

const source = process.argv[2] ?? "bench/results/2026-11-21-amd-epyc-2-cores.json";
const { overheadPicture } = await pageModule("chart/overhead-picture");
writeFileSync("docs/overhead.svg", overheadPicture(JSON.parse(readFileSync(source, "utf8"))));
console.log("docs/overhead.svg");
