// Copies Chart.js into dist/, so that users of the package need not install it.
import { copyFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const from = join(dirname(createRequire(import.meta.url).resolve("chart.js")), "chart.umd.min.js");
copyFileSync(from, fileURLToPath(new URL("../dist/bench/chart.umd.min.js", import.meta.url)));
