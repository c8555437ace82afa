// Draws the charts of the benchmark page with Chart.js, in the page's colours, and offers the results as a file. Runs
// in browsers unchanged; ../inline.ts puts it into the page. Must not: compute a figure, or make a network request.

/** @import { Chart, ChartConfiguration, Plugin } from "chart.js" */
/** @import { BarChart, ChartAxis, ChartSpec, PointChart } from "../../chart/spec.js" */
/** @typedef {(name: string) => string} Colors a custom property of the page's style */

const Library = /** @type {{ Chart: typeof Chart }} */ (/** @type {unknown} */ (globalThis)).Chart;

const BAR_ROW = 44;
const MARK_ROW = 17;
const FONT = 12.5;
/** Shapes that consist of lines only. */
const STROKES = new Set(["cross", "crossRot", "star"]);

/**
 * Returns the text, or as much of its start as fits.
 * @param {CanvasRenderingContext2D} context
 * @param {string} text
 * @param {number} width
 */
function fitted(context, text, width) {
  if (context.measureText(text).width <= width) return text;
  let end = text.length;
  while (end > 1 && context.measureText(`${text.slice(0, end)}…`).width > width) end--;
  return `${text.slice(0, end).trimEnd()}…`;
}

/** @param {string} weight */
function font(weight) {
  return `${weight} ${FONT}px ${getComputedStyle(document.body).fontFamily}`;
}

/** @param {Colors} colors */
function tooltip(colors) {
  return {
    displayColors: false,
    backgroundColor: colors("ink"),
    titleColor: colors("page"),
    bodyColor: colors("page"),
    padding: 10,
    cornerRadius: 4,
    caretSize: 4,
  };
}

/**
 * Draws the name above each bar, and its figure at the right, where they overlap no bar in a narrow chart.
 * @param {BarChart} spec
 * @param {Colors} colors
 * @returns {Plugin<"bar">}
 */
function barLabels({ bars, line }, colors) {
  return {
    id: "bar-labels",
    afterDatasetsDraw({ ctx, chartArea: { left, right }, scales }) {
      ctx.save();
      for (const [i, { label, text }] of bars.entries()) {
        const y = (scales.y?.getPixelForValue(i) ?? 0) - 11;
        ctx.fillStyle = colors("ink");
        ctx.textAlign = "right";
        ctx.font = font("600");
        ctx.fillText(text, right, y);
        const room = right - left - ctx.measureText(text).width - 10;
        ctx.textAlign = "left";
        ctx.font = font("400");
        ctx.fillText(fitted(ctx, label, room), left, y);
        if (line === null) continue;
        const x = scales.x?.getPixelForValue(line) ?? 0;
        ctx.fillRect(x - 1, y + 3, 2, 16);
      }
      ctx.restore();
    },
  };
}

/**
 * @param {BarChart} spec
 * @param {Colors} colors
 * @returns {ChartConfiguration<"bar", (number | [number, number])[]>}
 */
function barConfig(spec, colors) {
  const { bars, axis } = spec;
  return {
    type: "bar",
    data: {
      labels: bars.map(({ label }) => label),
      datasets: [
        {
          data: bars.map(({ lowest, highest }) => [lowest, highest]),
          backgroundColor: colors("ink"),
          barThickness: 2,
          minBarLength: 2,
          grouped: false,
        },
        {
          data: bars.map(({ value }) => value),
          backgroundColor: bars.map(({ color }) => colors(color)),
          barThickness: 10,
          borderRadius: 2,
          grouped: false,
        },
      ],
    },
    options: {
      indexAxis: "y",
      animation: false,
      maintainAspectRatio: false,
      interaction: { mode: "index", axis: "y", intersect: false },
      plugins: {
        legend: { display: false },
        tooltip: {
          ...tooltip(colors),
          filter: ({ datasetIndex }) => datasetIndex === 0,
          callbacks: { label: ({ dataIndex }) => [...(bars[dataIndex]?.tip ?? [])] },
        },
      },
      scales: {
        x: {
          beginAtZero: true,
          suggestedMax: spec.line ?? 0,
          title: { display: true, text: axis, color: colors("muted"), align: "end", font: { size: FONT } },
          border: { display: false },
          grid: { color: colors("grid"), drawTicks: false },
          ticks: {
            color: colors("muted"),
            maxTicksLimit: 5,
            maxRotation: 0,
            padding: 6,
            font: { size: FONT },
            callback: (value) => Number(value).toLocaleString("en"),
          },
        },
        y: { display: false },
      },
    },
    plugins: [barLabels(spec, colors)],
  };
}

/**
 * Puts each name into the first row above the plot in which it overlaps no other name.
 * @param {CanvasRenderingContext2D} context
 * @param {readonly { x: number, label: string }[]} marks by pixels
 * @param {number} left
 * @param {number} right
 */
function markRows(context, marks, left, right) {
  /** @type {number[]} */
  const ends = [];
  return marks
    .toSorted((a, b) => a.x - b.x)
    .map(({ x, label }) => {
      const text = fitted(context, label, 130);
      const width = context.measureText(text).width;
      const start = Math.min(Math.max(x - width / 2, left), right - width);
      const free = ends.findIndex((end) => end + 8 < start);
      const row = free === -1 ? ends.length : free;
      ends[row] = start + width;
      return { x, start, text, row };
    });
}

/**
 * Draws error bars, the names of models above the plot, and the names of guides at their ends.
 * @param {PointChart} spec
 * @param {Colors} colors
 * @returns {Plugin<"scatter">}
 */
function pointLabels({ series, guides, marks }, colors) {
  return {
    id: "point-labels",
    beforeDatasetsDraw({ ctx, chartArea: { left, right, top, bottom }, scales: { x, y } }) {
      if (!x || !y) return;
      ctx.save();
      ctx.font = font("600");
      ctx.textAlign = "left";
      const placed = marks.map((mark) => ({ x: x.getPixelForValue(mark.x), label: mark.label }));
      for (const mark of markRows(ctx, placed, left, right)) {
        const base = top - 8 - mark.row * MARK_ROW;
        ctx.strokeStyle = colors("grid");
        ctx.beginPath();
        ctx.moveTo(mark.x, base + 4);
        ctx.lineTo(mark.x, bottom);
        ctx.stroke();
        ctx.fillStyle = colors("ink");
        ctx.fillText(mark.text, mark.start, base);
      }
      ctx.lineWidth = 1.5;
      for (const { color, points } of series) {
        ctx.strokeStyle = colors(color);
        for (const point of points) {
          const [at, low, high] = [x.getPixelForValue(point.x), point.lowest, point.highest];
          if (low === high) continue;
          ctx.beginPath();
          ctx.moveTo(at, y.getPixelForValue(low));
          ctx.lineTo(at, y.getPixelForValue(high));
          for (const end of [low, high]) {
            ctx.moveTo(at - 3, y.getPixelForValue(end));
            ctx.lineTo(at + 3, y.getPixelForValue(end));
          }
          ctx.stroke();
        }
      }
      ctx.restore();
    },
    afterDatasetsDraw({ ctx, chartArea: { right, top }, scales }) {
      ctx.save();
      ctx.font = font("400");
      ctx.fillStyle = colors("muted");
      ctx.textAlign = "left";
      for (const { label, points } of guides) {
        const end = points.at(-1);
        const y = end ? (scales.y?.getPixelForValue(end.y) ?? 0) : 0;
        // A guide that ends above the plot has no visible end to label.
        if (y > top) ctx.fillText(label, right + 6, y + 4);
      }
      ctx.restore();
    },
  };
}

/**
 * @param {ChartAxis} axis
 * @param {Colors} colors
 */
function scaleOptions({ title, from, to, ticks, origin }, colors) {
  /** @type {Map<number, string>} */
  const labels = new Map(ticks.map(({ at, label }) => [at, label]));
  return {
    type: /** @type {const} */ ("linear"),
    min: from,
    max: to,
    title: { display: true, text: title, color: colors("muted"), font: { size: FONT } },
    border: { display: false },
    grid: {
      /** @param {{ tick?: { value: number } }} context */
      color: ({ tick }) => colors(tick?.value === origin ? "muted" : "grid"),
      drawTicks: false,
    },
    /** @param {{ ticks: { value: number }[] }} scale */
    afterBuildTicks: (scale) => {
      scale.ticks = ticks.map(({ at }) => ({ value: at }));
    },
    ticks: {
      color: colors("muted"),
      padding: 8,
      maxRotation: 0,
      autoSkip: true,
      autoSkipPadding: 10,
      font: { size: FONT },
      /** @param {string | number} value */
      callback: (value) => labels.get(Number(value)) ?? "",
    },
  };
}

/**
 * @param {PointChart} spec
 * @param {Colors} colors
 * @returns {ChartConfiguration<"scatter">}
 */
function pointConfig(spec, colors) {
  const { series, guides } = spec;
  return {
    type: "scatter",
    data: {
      datasets: [
        ...series.map(({ label, color, shape, points }) => ({
          label,
          data: points.map(({ x, y }) => ({ x, y })),
          backgroundColor: colors(color),
          borderColor: colors(STROKES.has(shape) ? color : "page"),
          borderWidth: STROKES.has(shape) ? 2 : 1,
          pointStyle: shape,
          pointRadius: shape === "circle" ? 5 : 6,
          pointHoverRadius: 7,
          pointHitRadius: 10,
        })),
        ...series.map(({ label, color, fit }) => line(label, fit, colors(color), [])),
        ...guides.map(({ label, points }) => line(label, points, colors("muted"), [4, 4])),
      ],
    },
    options: {
      animation: false,
      maintainAspectRatio: false,
      layout: { padding: { top: spec.marks.length > 0 ? 2 * MARK_ROW + 8 : 8, right: guides.length > 0 ? 34 : 8 } },
      interaction: { mode: "nearest", intersect: true },
      plugins: {
        legend: { display: false },
        tooltip: {
          ...tooltip(colors),
          filter: ({ datasetIndex }) => datasetIndex < series.length,
          callbacks: {
            label: ({ datasetIndex, dataIndex }) => [...(series[datasetIndex]?.points[dataIndex]?.tip ?? [])],
          },
        },
      },
      scales: { x: scaleOptions(spec.x, colors), y: scaleOptions(spec.y, colors) },
    },
    plugins: [pointLabels(spec, colors)],
  };
}

/**
 * @param {string} label
 * @param {readonly { readonly x: number, readonly y: number }[]} points
 * @param {string} color
 * @param {number[]} borderDash
 */
function line(label, points, color, borderDash) {
  const data = points.map(({ x, y }) => ({ x, y }));
  return {
    label,
    data,
    showLine: true,
    borderColor: color,
    borderWidth: 1.25,
    borderDash,
    pointRadius: 0,
    pointHitRadius: 0,
  };
}

/**
 * @param {HTMLCanvasElement} canvas
 * @param {ChartSpec} spec
 * @param {Colors} colors
 */
function draw(canvas, spec, colors) {
  if (canvas.parentElement)
    canvas.parentElement.style.height = `${spec.kind === "bars" ? spec.bars.length * BAR_ROW + 52 : 400}px`;
  return spec.kind === "bars"
    ? new Library(canvas, barConfig(spec, colors))
    : new Library(canvas, pointConfig(spec, colors));
}

/**
 * @param {string} id of a script element with data, as ../inline.ts writes it
 * @returns {Promise<string>} its JSON
 */
async function readData(id) {
  const bytes = Uint8Array.from(atob(document.getElementById(id)?.textContent ?? ""), (byte) => byte.charCodeAt(0));
  return new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"))).text();
}

/** @type {Record<string, ChartSpec>} */
const specs = JSON.parse(await readData("charts"));

/** @type {{ destroy(): void }[]} */
let drawn = [];

/** Draws all charts again, in the current colours. */
function drawAll() {
  for (const chart of drawn) chart.destroy();
  const style = getComputedStyle(document.documentElement);
  /** @type {Colors} */
  const colors = (name) => style.getPropertyValue(`--${name}`).trim();
  Library.defaults.font.family = getComputedStyle(document.body).fontFamily;
  drawn = [...document.querySelectorAll("canvas")].flatMap((canvas) => {
    const spec = specs[canvas.dataset["chart"] ?? ""];
    return spec ? [draw(canvas, spec, colors)] : [];
  });
}

/** Uses the light colours for paper. @param {boolean} printing */
function setPrinting(printing) {
  document.documentElement.toggleAttribute("data-print", printing);
  drawAll();
}

async function offerResults() {
  const link = document.querySelector("#save");
  if (!(link instanceof HTMLAnchorElement)) return;
  const json = await readData("results");
  const { date } = /** @type {{ date: string }} */ (JSON.parse(json));
  link.href = URL.createObjectURL(new Blob([json, "\n"], { type: "application/json" }));
  link.download = `llama-hooks-bench-${date.replaceAll(/[^\d-]/g, "-").slice(0, 10)}.json`;
  link.hidden = false;
}

drawAll();
await offerResults();
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", drawAll);
addEventListener("beforeprint", () => setPrinting(true));
addEventListener("afterprint", () => setPrinting(false));
