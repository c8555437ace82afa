// The table of targets: the promise, the measured figures, and the verdict that the results contain.
import { formatFigure, formatTarget } from "../../src/bench/results/format.js";
import { html, type Html } from "../../src/base/html.js";
import { verdict } from "./tables.js";
import type { BenchResults, Figure, TargetRow } from "../../src/bench/results/results.js";

/** "11 of 13 targets met, 1 missed (P4), 1 not measured (P9)." */
export function targetSummary(rows: readonly TargetRow[]): string {
  const ids = (pass: boolean | null): string[] => rows.filter((row) => row.pass === pass).map(({ id }) => id);
  const part = (names: readonly string[], what: string): string =>
    names.length === 0 ? "" : `, ${names.length} ${what} (${names.join(", ")})`;
  return `${ids(true).length} of ${rows.length} targets met${part(ids(false), "missed")}${part(ids(null), "not measured")}.`;
}

// On narrow screens a row becomes a block, which removes its meaning as a table row; the roles restore it.
export function targetTable({ rows }: BenchResults): Html {
  return html`<table class="targets" role="table">
    <caption class="hidden">
      Targets and what was measured
    </caption>
    <thead role="rowgroup">
      <tr role="row">
        <th role="columnheader" scope="col">#</th>
        <th role="columnheader" scope="col">What</th>
        <th role="columnheader" scope="col">Measured</th>
        <th role="columnheader" scope="col">Result</th>
      </tr>
    </thead>
    <tbody role="rowgroup">
      ${rows.map(targetRow)}
    </tbody>
  </table>`;
}

function targetRow({ id, what, target, figures, pass, note }: TargetRow): Html {
  return html`<tr role="row" id="${id}">
    <th role="rowheader" scope="row">${id}</th>
    <td role="cell" class="what">
      ${what}
      <div class="target">Target: ${formatTarget(target)}</div>
    </td>
    <td role="cell" class="measured">
      ${
        figures.length === 0
          ? null
          : html`<ul class="figures">
              ${figures.map(figureItem)}
            </ul>`
      }
      ${note === undefined ? null : html`<p class="note">${note}</p>`}
    </td>
    <td role="cell" class="result">${verdict(pass)}</td>
  </tr>`;
}

function figureItem({ label, value, unit, target, pass }: Figure): Html {
  return html`<li>
    <span class="label">${label}</span>
    <span class="value">${formatFigure(value, unit, target)}</span>
    <span class="bound">${formatTarget(target)}</span>
    <span class="${pass ? "met" : "missed"}" role="img" aria-label="${pass ? "met" : "missed"}"
      >${pass ? "✓" : "✗"}</span
    >
  </li>`;
}

/** A list of warnings about unreliable figures, except those of the banner; null if there is none. */
export function warningList(warnings: readonly string[]): Html | null {
  if (warnings.length === 0) return null;
  return html`<p class="note">The machine was restless:</p>
    <ul class="note">
      ${warnings.map((warning) => html`<li>${warning}</li>`)}
    </ul>`;
}
