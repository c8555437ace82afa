// Draws docs/overhead.svg, the picture of the README, from stored results: `node bench/picture.mjs [RESULTS.json]`,
// after `npm run build:ts`.
import { readFileSync, writeFileSync } from "node:fs";
import { overheadPicture } from "../dist/bench/chart/overhead-picture.js";

const source = process.argv[2] ?? "bench/results/2026-11-21-amd-epyc-2-cores.json";
writeFileSync("docs/overhead.svg", overheadPicture(JSON.parse(readFileSync(source, "utf8"))));
console.log("docs/overhead.svg");
