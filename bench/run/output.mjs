// Writes results: to the terminal, to a JSON file, to a page.
import { mkdir, writeFile } from "node:fs/promises";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { paintFor } from "../../dist/base/paint.js";
import { decodeText } from "../../dist/bench/text/decode-table.js";
import { headText } from "../../dist/bench/text/head.js";
import { microText } from "../../dist/bench/text/micro-table.js";
import { rowsText } from "../../dist/bench/text/target-table.js";
import { pageModule } from "../page-module.mjs";

const folder = fileURLToPath(new URL("../results/", import.meta.url));

export function print(results) {
  const paint = paintFor(process.stdout);
  const missing = results.skipped.filter(({ model }) => !results.models.some(({ name }) => name === model));
  const parts = [
    headText(results, paint),
    ...(results.decode.length === 0 ? [] : [decodeText(results, paint)]),
    ...(results.micro.length === 0 ? [] : [microText(results.micro, paint)]),
    ...missing.map(({ contender, reason }) => paint("yellow", `skipped: ${contender}: ${reason}`)),
    rowsText(results.rows, paint),
    ...results.warnings.map((warning) => paint("yellow", `warning: ${warning}`)),
  ];
  console.log(parts.join("\n\n"));
}

/**
 * Writes the files and returns their paths. By default, for a whole run only, they are named after the day and the
 * machine.
 */
export async function save(results, { json, html, quick, rows, models }) {
  const whole = !quick && rows === undefined && models === undefined;
  const name = path.join(folder, `${results.date.slice(0, 10)}-${slug(results.machine)}`);
  const texts = [
    [json ?? (whole ? `${name}.json` : undefined), () => `${JSON.stringify(results, null, 1)}\n`],
    [html ?? (whole ? `${name}.html` : undefined), async () => (await pageModule("page/page")).benchPage(results)],
  ];
  const wanted = texts.filter(([file]) => file !== undefined);
  for (const [file, text] of wanted) {
    await mkdir(path.dirname(path.resolve(file)), { recursive: true });
    await writeFile(file, await text());
  }
  return wanted.map(([file]) => path.relative(process.cwd(), file));
}

function slug({ cpu, cores, gpu }) {
  const words = [cpu, `${cores} cores`, ...(gpu === null ? [] : [gpu.name])].join(" ").toLowerCase();
  return words
    .replaceAll(/\((?:r|tm)\)/g, "")
    .replaceAll(/[^a-z0-9]+/g, "-")
    .replaceAll(/^-|-$/g, "");
}
