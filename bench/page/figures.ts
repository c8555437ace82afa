// A chart on the page: heading, canvas, legend, caption, and the same figures as a table for readers who do not see the
// chart.
import type { ChartColor, ChartShape, ChartSpec } from "../chart/spec.js";
import { html, type Html, type HtmlPart } from "../../src/base/html.js";

export interface PlacedChart {
  /** The id of the canvas, by which page/browser/page.js finds the chart. */
  readonly id: string;
  /** Screen readers read this text instead of the picture. */
  readonly description: string;
  readonly chart: ChartSpec;
  /** A heading above the canvas if several charts share a figure. */
  readonly title?: string;
}

export interface PageFigure {
  readonly id: string;
  readonly heading: string;
  readonly charts: readonly PlacedChart[];
  readonly caption: HtmlPart;
  readonly table: HtmlPart;
}

export function figureSection({ id, heading, charts, caption, table }: PageFigure): Html {
  return html`<section id="${id}" aria-labelledby="${id}-heading">
    <h2 id="${id}-heading">${heading}</h2>
    <figure>
      <div class="${charts.length > 1 ? "charts several" : "charts"}">${charts.map(placedChart)}</div>
      <figcaption>${caption}</figcaption>
    </figure>
    <details>
      <summary>The figures as a table</summary>
      ${table}
    </details>
  </section>`;
}

function placedChart({ id, description, chart, title }: PlacedChart): Html {
  return html`<div class="chart">
    ${title === undefined ? null : html`<h3>${title}</h3>`} ${chart.kind === "points" ? legend(chart.series) : null}
    <div class="canvas"><canvas data-chart="${id}" role="img" aria-label="${description}"></canvas></div>
  </div>`;
}

function legend(
  series: readonly { readonly label: string; readonly color: ChartColor; readonly shape: ChartShape }[],
): Html {
  const items = series.map(({ label, color, shape }) => html`<li>${mark(color, shape)}${label}</li>`);
  return html`<ul class="legend">
    ${items}
  </ul>`;
}

function mark(color: ChartColor, shape: ChartShape): Html {
  return html`<svg class="${color}" width="12" height="12" viewBox="-6 -6 12 12" aria-hidden="true">
    ${SHAPES[shape]}
  </svg>`;
}

const SHAPES: Readonly<Record<ChartShape, Html>> = {
  circle: html`<circle r="4.5" />`,
  triangle: html`<path d="M0-5 5 4H-5Z" />`,
  rect: html`<rect x="-4" y="-4" width="8" height="8" />`,
  crossRot: html`<path class="stroke" d="M-4-4 4 4M4-4-4 4" />`,
  cross: html`<path class="stroke" d="M0-5V5M-5 0H5" />`,
  star: html`<path class="stroke" d="M-4-4 4 4M4-4-4 4M0-5V5M-5 0H5" />`,
  rectRot: html`<path d="M0-5.5 5.5 0 0 5.5-5.5 0Z" />`,
};
