// The benchmark page: results as one HTML file that makes no network requests. Its style and script are in browser/.
import { curvePoints } from "../chart/curves.js";
import { figureSection, type PageFigure } from "./figures.js";
import { noisyModels, pageHead } from "./head.js";
import { type Html, html } from "../../src/base/html.js";
import { dataElement, inlined } from "./inline.js";
import { ownHooksSection } from "./own-hooks.js";
import { pageFigures } from "./sections.js";
import { instructionTable, microTable, modelTable, skippedTable } from "./tables.js";
import { targetTable, warningList } from "./targets.js";
import type { BenchResults } from "../../src/bench/results/results.js";

/** Returns a whole HTML document. */
export function benchPage(results: BenchResults): string {
  const figures = pageFigures(results);
  const specs = Object.fromEntries(figures.flatMap(({ charts }) => charts.map(({ id, chart }) => [id, chart])));
  const { style, scripts, policy } = inlined();
  const title = `llama-hooks benchmark, ${results.machine.cpu}`;
  return html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta http-equiv="Content-Security-Policy" content="${policy}" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <title>${title}</title>
        <link rel="icon" href="data:," />
        ${style}
      </head>
      <body>
        <a class="skip" href="#content">To the figures</a>
        ${pageHead(results)} ${navigation(results, figures)}
        <main id="content">
          ${targets(results)} ${ownHooksSection(results)}
          <noscript
            ><p class="note">Charts need JavaScript. The tables below each chart have the same figures.</p></noscript
          >
          ${figures.map(figureSection)} ${calls(results)} ${method(results)}
        </main>
        <footer>
          <p><a id="save" hidden>Save JSON</a> <span>Every figure of this page, with each single run.</span></p>
        </footer>
        ${dataElement("results", results)} ${dataElement("charts", specs)} ${scripts}
      </body>
    </html> `.toString();
}

function navigation({ rows, ownHooks }: BenchResults, figures: readonly PageFigure[]): Html {
  const names: Readonly<Record<string, string>> = {
    speed: "Speed",
    overhead: "Overhead",
    growth: "Growth",
    several: "Several at once",
    memory: "Memory",
  };
  const links = figures.map(({ id }) => html`<a href="#${id}">${names[id] ?? id}</a>`);
  return html`<nav aria-label="Parts of this page">
    ${rows.length === 0 ? null : html`<a href="#targets">Targets</a>`}
    ${ownHooks === undefined ? null : html`<a href="#own-hooks">Your hooks</a>`} ${links}
    <a href="#method">Method</a>
  </nav>`;
}

function targets(results: BenchResults): Html | null {
  if (results.rows.length === 0) return null;
  return html`<section id="targets" aria-labelledby="targets-heading">
    <h2 id="targets-heading">Targets</h2>
    ${targetTable(results)} ${warningList(moreWarnings(results))}
  </section>`;
}

/** The warnings that the banner does not contain. */
function moreWarnings(results: BenchResults): string[] {
  const above = noisyModels(results);
  return (results.warnings ?? []).filter((warning) => !above.includes(warning));
}

function calls(results: BenchResults): Html | null {
  const curves = curvePoints(results.micro);
  const single = results.micro.filter((one) => !curves.some((point) => point === one));
  if (single.length === 0 && results.instructions.length === 0) return null;
  return html`<section id="calls" aria-labelledby="calls-heading">
    <h2 id="calls-heading">Single calls</h2>
    ${single.length === 0 ? null : microTable("Time of a call", single)}
    ${results.instructions.length === 0 ? null : instructionTable(results)}
  </section>`;
}

const byRounds =
  "Every measurement runs in a fresh process. Contenders take turns, round by round, and ratios are taken within a " +
  "round, so that what the machine does between rounds does not count. What hooks cost is measured in pairs as well: " +
  "with and without in turn, within one process. Speed is that of decoding: the prompt and the first token are left out.";

const byPairs =
  "One process generates the same text without your hooks and with them, in turn, so that what the machine does " +
  "meanwhile counts for both. A generation counts from its call to its result; its prompt has been read before.";

function method(results: BenchResults): Html {
  const synthetic = results.models.some((model) => model.synthetic);
  return html`<section id="method" aria-labelledby="method-heading">
    <h2 id="method-heading">How it was measured</h2>
    ${results.rows.length === 0 ? warningList(moreWarnings(results)) : null}
    <p>
      ${results.ownHooks === undefined ? byRounds : byPairs} The page cache is
      warm.${
        synthetic
          ? " Synthetic models have random weights in the shape of a known model; speed does not depend on weights."
          : null
      }
    </p>
    ${results.models.length === 0 ? null : modelTable(results)}
    ${results.skipped.length === 0 ? null : skippedTable(results)}
  </section>`;
}
