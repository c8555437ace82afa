// Tables of figures: the data of charts, and data without a chart.
import { isWithinNoise } from "../../src/bench/results/noise.js";
import { overheads } from "../chart/overhead.js";
import {
  formatBytes,
  formatNanoseconds,
  formatNumber,
  formatRatio,
  formatTick,
  formatX,
} from "../../src/bench/results/format.js";
import { html, type Html, type HtmlPart } from "../../src/base/html.js";
import type {
  BenchResults,
  DecodeResult,
  MeasuredModel,
  MicroResult,
  Spread,
} from "../../src/bench/results/results.js";

interface Column<Row> {
  readonly name: string;
  readonly cell: (row: Row) => HtmlPart;
  /** Figures are aligned to the right. */
  readonly figure?: boolean;
}

/** A table that scrolls by itself if it is too wide. Its first column names the row. */
export function table<Row>(caption: string, rows: readonly Row[], columns: readonly Column<Row>[]): Html {
  const align = ({ figure }: Column<Row>): string => (figure ? "figure" : "text");
  const head = columns.map((column) => html`<th scope="col" class="${align(column)}">${column.name}</th>`);
  const body = rows.map((row) => {
    const cells = columns.map((column, i) =>
      i === 0
        ? html`<th scope="row">${column.cell(row)}</th>`
        : html`<td class="${align(column)}">${column.cell(row)}</td>`,
    );
    return html`<tr>
      ${cells}
    </tr>`;
  });
  return html`<div class="scroll" role="region" aria-label="${caption}" tabindex="0">
    <table>
      <caption>
        ${caption}
      </caption>
      <thead>
        <tr>
          ${head}
        </tr>
      </thead>
      <tbody>
        ${body}
      </tbody>
    </table>
  </div>`;
}

// On narrow screens a row becomes a block, which removes its meaning as a table row; the roles restore it.
function stackedTable<Row>(caption: string, rows: readonly Row[], columns: readonly Column<Row>[]): Html {
  const head = columns.map(({ name }) => html`<th role="columnheader" scope="col">${name}</th>`);
  const body = rows.map((row) => {
    const cells = columns.map(({ name, cell }, i) =>
      i === 0
        ? html`<th role="rowheader" scope="row">${cell(row)}</th>`
        : html`<td role="cell" data-column="${name}">${cell(row)}</td>`,
    );
    return html`<tr role="row">
      ${cells}
    </tr>`;
  });
  return html`<table class="stacked" role="table">
    <caption>
      ${caption}
    </caption>
    <thead role="rowgroup">
      <tr role="row">
        ${head}
      </tr>
    </thead>
    <tbody role="rowgroup">
      ${body}
    </tbody>
  </table>`;
}

function range({ lowest, highest }: Spread): string {
  return `${formatNumber(lowest)} to ${formatNumber(highest)}`;
}

function share(spread: Spread | null): string {
  if (!spread) return "–";
  return `${isWithinNoise(spread) ? "~" : ""}${formatRatio(spread.median)}`;
}

const NOISE = "~: within the noise, some rounds were faster and others slower";

export function decodeTable(caption: string, decode: readonly DecodeResult[]): Html {
  const noisy = decode.some(({ toPlain, toNodeLlamaCpp }) =>
    [toPlain, toNodeLlamaCpp].some((one) => one && isWithinNoise(one)),
  );
  return table(noisy ? `${caption} (${NOISE})` : caption, decode, [
    { name: "Contender", cell: ({ label }) => label },
    { name: "Model", cell: ({ model }) => model },
    { name: "At once", cell: ({ sequences }) => sequences, figure: true },
    { name: "tokens/s", cell: ({ tokensPerSecond: { median } }) => formatNumber(median), figure: true },
    { name: "Lowest to highest", cell: ({ tokensPerSecond }) => range(tokensPerSecond), figure: true },
    { name: "To plain loop", cell: ({ toPlain }) => share(toPlain), figure: true },
    { name: "To node-llama-cpp", cell: ({ toNodeLlamaCpp }) => share(toNodeLlamaCpp), figure: true },
  ]);
}

export function memoryTable(caption: string, decode: readonly DecodeResult[]): Html {
  return table(caption, decode, [
    { name: "Contender", cell: ({ label }) => label },
    { name: "Model", cell: ({ model }) => model },
    { name: "Peak, MiB", cell: ({ peakMib: { median } }) => formatNumber(median), figure: true },
    { name: "Lowest to highest", cell: ({ peakMib }) => range(peakMib), figure: true },
    { name: "Load, ms", cell: ({ loadMs: { median } }) => formatNumber(median), figure: true },
    { name: "Lowest to highest", cell: ({ loadMs }) => range(loadMs), figure: true },
  ]);
}

export function overheadTable(caption: string, results: BenchResults): Html {
  return table(caption, overheads(results), [
    { name: "Hook", cell: ({ label }) => label },
    { name: "Model", cell: ({ model }) => model },
    { name: "Without, tokens/s", cell: ({ baseTps }) => formatNumber(baseTps), figure: true },
    { name: "Added, µs a token", cell: ({ microseconds: { median } }) => formatNumber(median), figure: true },
    { name: "Lowest to highest", cell: ({ microseconds }) => range(microseconds), figure: true },
    { name: "Of a token's time", cell: ({ percent }) => `${formatNumber(percent)} %`, figure: true },
    { name: "Noise", cell: ({ inNoise }) => (inNoise ? "within the noise" : "") },
  ]);
}

/** A table of the points of curves, or of single figures. */
export function microTable(caption: string, micro: readonly MicroResult[]): Html {
  const curve = micro.some(({ x }) => x !== null);
  return table(caption, micro, [
    { name: "What", cell: ({ group, label }) => (group === label ? group : `${group}, ${label}`) },
    ...(curve ? [{ name: "At", cell: formatX, figure: true }] : []),
    { name: "Median", cell: ({ median }) => formatNanoseconds(median), figure: true },
    { name: "p99", cell: ({ p99 }) => (p99 === null ? "–" : formatNanoseconds(p99)), figure: true },
  ]);
}

export function instructionTable({ instructions }: BenchResults): Html {
  return table("Instructions of hot paths, counted by callgrind", instructions, [
    { name: "Path", cell: ({ name }) => name },
    { name: "Instructions a call", cell: ({ perCall }) => formatTick(perCall), figure: true },
    { name: "At most", cell: ({ bound }) => formatTick(bound), figure: true },
    { name: "Result", cell: ({ perCall, bound }) => verdict(perCall <= bound) },
  ]);
}

export function modelTable({ models }: BenchResults): Html {
  return stackedTable("Models", models, [
    { name: "Name", cell: ({ name }) => name },
    { name: "What it is", cell: describeModel },
    { name: "File", cell: ({ bytes }) => formatBytes(bytes) },
    { name: "Prompt tokens", cell: ({ promptTokens }) => formatTick(promptTokens) },
    { name: "Tokens", cell: ({ tokens }) => formatTick(tokens) },
    { name: "Rounds", cell: ({ rounds }) => rounds },
  ]);
}

/** A label may begin with the name, which has its own column. */
function describeModel({ name, label, synthetic }: MeasuredModel): string {
  const about = label.startsWith(`${name}: `) ? label.slice(name.length + 2) : label;
  return synthetic ? `${about} (synthetic)` : about;
}

export function skippedTable({ skipped }: BenchResults): Html {
  return stackedTable("Contenders that could not run", skipped, [
    { name: "Contender", cell: ({ contender }) => contender },
    { name: "Model", cell: ({ model }) => model },
    { name: "Reason", cell: ({ reason }) => reason },
  ]);
}

/** A verdict as a word and a sign; the colour only repeats them. */
export function verdict(pass: boolean | null): Html {
  if (pass === null) return html`<span class="verdict none"><span aria-hidden="true">–</span> Not measured</span>`;
  return pass
    ? html`<span class="verdict met"><span aria-hidden="true">✓</span> Met</span>`
    : html`<span class="verdict missed"><span aria-hidden="true">✗</span> Missed</span>`;
}
