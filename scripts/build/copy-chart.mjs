// Copies Chart.js into dist/, so that users of the package need not install it.
import { copyFileSync, mkdirSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const from = join(dirname(createRequire(import.meta.url).resolve("chart.js")), "chart.umd.min.js");
const folder = fileURLToPath(new URL("../../dist/page/", import.meta.url));
mkdirSync(folder, { recursive: true });
copyFileSync(from, join(folder, "chart.umd.min.js"));
