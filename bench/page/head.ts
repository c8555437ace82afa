// The top of the page: title, warnings about noise, the summary, and the conditions of the measurement.
import { noiseOf } from "../../src/bench/results/noise.js";
import { formatDate, formatNumber } from "../../src/bench/results/format.js";
import { headline } from "./headline.js";
import { html, type Html } from "../../src/base/html.js";
import { targetSummary } from "./targets.js";
import type { BenchResults } from "../../src/bench/results/results.js";

export function pageHead(results: BenchResults): Html {
  const sentences = headline(results);
  return html`<header>
    <p class="name">llama-hooks</p>
    <h1>Benchmark</h1>
    ${banner(results)} ${sentences.length === 0 ? null : html`<p class="lead">${sentences.join(" ")}</p>`}
    ${results.rows.length === 0 ? null : html`<p class="summary">${targetSummary(results.rows)}</p>`}
    ${conditions(results)}
  </header>`;
}

/** Returns the reason for each model with too much noise. */
export function noisyModels({ models, decode }: BenchResults): string[] {
  return models.flatMap(({ name }) =>
    noiseOf(decode.filter(({ model }) => model === name)).map((why) => (models.length > 1 ? `${name}: ${why}` : why)),
  );
}

function banner(results: BenchResults): Html | null {
  const reasons = noisyModels(results);
  if (reasons.length === 0) return null;
  return html`<div class="banner" role="note" aria-label="Noise">
    ${reasons.map((reason) => html`<p>${reason}</p>`)}
  </div>`;
}

function conditions({ date, machine, versions, settings }: BenchResults): Html {
  const { gpu } = machine;
  const facts: readonly (readonly [string, string])[] = [
    ["Measured", formatDate(date)],
    ["Processor", `${machine.cpu}, ${machine.cores} cores`],
    ["Memory", `${formatNumber(machine.memoryGib)} GiB`],
    ["GPU", gpu ? `${gpu.name}, ${formatNumber(gpu.memoryGib)} GiB` : "none"],
    ["System", `${machine.os} (${machine.platform})`],
    ["Node.js", machine.node],
    ["Threads", String(settings.threads)],
    ["GPU option", settings.gpu],
    ...Object.entries(versions),
  ];
  return html`<dl class="facts">
    ${facts.map(
      ([name, value]) =>
        html`<div>
          <dt>${name}</dt>
          <dd>${value}</dd>
        </div>`,
    )}
  </dl>`;
}
