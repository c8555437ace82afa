// Charts of bars as one SVG picture, for pages that run no script. The picture has its own background and follows the
// reader's colour scheme, so that its text is readable on any page.
import type { ModelChart } from "./bars.js";
import type { Bar } from "./spec.js";
import { html, Html } from "../../src/base/html.js";
import { sharedFile } from "../../src/page/files.js";

export interface Picture {
  readonly title: string;
  readonly charts: readonly ModelChart[];
  /** The label of the line across the bars. */
  readonly lineLabel: string;
  readonly note: string;
}

const WIDTH = 760;
const PLOT = { left: 288, right: 680 };
const ROW = 24;
const HEAD = 30;
const TOP = 66;

export function svgPicture({ title, charts, lineLabel, note }: Picture): string {
  const values = charts.flatMap(({ chart }) => [chart.line ?? 0, ...chart.bars.map(({ value }) => value)]);
  const scale = (PLOT.right - PLOT.left) / Math.max(...values);
  let y = TOP;
  const groups = charts.map(({ title: model, chart }) => {
    const head = html`<text class="model" x="20" y="${y + 20}">${model}</text>`;
    const rows = chart.bars.map((bar, i) => barRow(bar, y + HEAD + i * ROW, scale));
    y += HEAD + chart.bars.length * ROW + 8;
    return html`${head}${rows}`;
  });
  const line = charts[0]?.chart.line;
  const x = line === null || line === undefined ? null : Math.round(PLOT.left + line * scale);
  const mark =
    x === null
      ? null
      : html`<path class="line" d="M${x} ${TOP}V${y}" /><text class="muted end" x="${x + 4}" y="${TOP - 6}"
            >${lineLabel}</text
          >`;
  return html`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${y + 40}" role="img" aria-label="${title}">
    <style>
      ${colors()} text {
        font:
          13px system-ui,
          sans-serif;
        fill: var(--ink);
      }
      .title {
        font-size: 17px;
        font-weight: 600;
      }
      .model {
        font-weight: 600;
      }
      .muted {
        fill: var(--muted);
      }
      .end {
        text-anchor: end;
      }
      .line {
        stroke: var(--muted);
        stroke-dasharray: 4 3;
        fill: none;
      }
    </style>
    <rect width="100%" height="100%" rx="8" fill="var(--page)" />
    <text class="title" x="20" y="34">${title}</text>
    ${groups} ${mark}
    <text class="muted" x="20" y="${y + 22}">${note}</text>
  </svg> `.toString();
}

function barRow({ label, text, color, value }: Bar, y: number, scale: number): Html {
  const width = Math.round(value * scale);
  return html` <text class="end" x="${PLOT.left - 8}" y="${y + 14}">${label}</text
    ><rect x="${PLOT.left}" y="${y + 2}" width="${width}" height="${ROW - 8}" rx="2" fill="var(--${color})" /><text
      class="end"
      x="${WIDTH - 20}"
      y="${y + 14}"
      >${text}</text
    >`;
}

/** The colours of the pages, light and dark. */
function colors(): Html {
  const sheet = sharedFile("colors.css");
  const themes = sheet.slice(sheet.indexOf(":root"));
  return new Html(themes.replaceAll(/\s+/g, " ").trim());
}
