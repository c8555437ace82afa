// Memory of devices and models, now and over time.
import { byId, el, table } from "./dom.js";
import { bytes, number } from "./format.js";

/** @import { Chart, ChartConfiguration } from "chart.js" */
/** @import { EngineState, Sample } from "../../wire/wire.js" */

const Library = /** @type {{ Chart: typeof Chart }} */ (/** @type {unknown} */ (globalThis)).Chart;
const palette = ["blue", "orange", "green", "purple", "ochre", "teal"];

export class MemoryView {
  #figures = byId("memory-figures", HTMLElement);
  #tables = byId("memory-tables", HTMLElement);
  #canvas = byId("memory-chart", HTMLCanvasElement);
  /** @type {Chart<"line"> | undefined} */
  #chart = undefined;

  /** @param {EngineState | undefined} state undefined: there is no engine */
  show(state) {
    const holder = /** @type {HTMLElement} */ (this.#canvas.parentElement);
    holder.hidden = state === undefined;
    if (state === undefined) {
      this.#figures.replaceChildren(el("p", { class: "empty" }, "Saved files have no memory figures."));
      this.#tables.replaceChildren();
      return;
    }
    this.#figures.replaceChildren(figures(state));
    this.#tables.replaceChildren(deviceTable(state), modelTable(state));
    this.#draw(state.samples);
  }

  /** Draws again in the colours of another scheme. */
  recolor() {
    this.#chart?.destroy();
    this.#chart = undefined;
  }

  /** @param {readonly Sample[]} samples */
  #draw(samples) {
    const style = getComputedStyle(document.documentElement);
    const color = (/** @type {string} */ name) => style.getPropertyValue(`--${name}`).trim();
    const data = datasets(samples, color);
    this.#canvas.setAttribute("aria-label", chartText(samples));
    if (this.#chart === undefined || this.#chart.data.datasets.length !== data.length) {
      this.#chart?.destroy();
      Library.defaults.font.family = getComputedStyle(document.body).fontFamily;
      this.#chart = new Library(this.#canvas, config(data, color));
      return;
    }
    for (const [index, { data: points }] of data.entries()) {
      const set = this.#chart.data.datasets[index];
      if (set !== undefined) set.data = points;
    }
    this.#chart.update("none");
  }
}

/** @param {readonly Sample[]} samples @param {(name: string) => string} color */
function datasets(samples, color) {
  const names = samples.at(-1)?.devices.map(({ device }) => device) ?? [];
  const last = samples.at(-1)?.at ?? 0;
  /** @param {string} device @param {"usedBytes" | "conversationBytes"} field */
  const points = (device, field) =>
    samples.map(({ at, devices }) => ({
      x: (at - last) / 1000,
      y: (devices.find((one) => one.device === device)?.[field] ?? 0) / 2 ** 20,
    }));
  return names.flatMap((name, index) => {
    const own = color(palette[index % palette.length] ?? "blue");
    const common = {
      borderColor: own,
      borderWidth: 2,
      pointRadius: samples.length === 1 ? 3 : 0,
      pointHitRadius: 8,
      stepped: true,
    };
    const used = { ...common, label: `${name}: models and contexts`, data: points(name, "usedBytes") };
    const kept = points(name, "conversationBytes");
    return kept.some(({ y }) => y > 0)
      ? [used, { ...common, label: `${name}: idle conversations`, data: kept, borderDash: [4, 3] }]
      : [used];
  });
}

/** @param {ReturnType<typeof datasets>} data @param {(name: string) => string} color @returns {ChartConfiguration<"line", { x: number, y: number }[]>} */
function config(data, color) {
  const axis = (/** @type {string} */ text) => ({
    title: { display: true, text, color: color("muted") },
    border: { display: false },
    grid: { color: color("grid"), drawTicks: false },
    ticks: { color: color("muted"), padding: 8, maxRotation: 0 },
  });
  return {
    type: "line",
    data: { datasets: data },
    options: {
      animation: false,
      maintainAspectRatio: false,
      interaction: { mode: "nearest", axis: "x", intersect: false },
      plugins: { legend: { labels: { color: color("ink"), boxHeight: 1, boxWidth: 24 } } },
      scales: {
        x: { ...axis("seconds before now"), type: "linear" },
        y: { ...axis("MiB"), beginAtZero: true },
      },
    },
  };
}

/** @param {readonly Sample[]} samples */
function chartText(samples) {
  const last = samples.at(-1);
  if (last === undefined) return "Memory over time: no figures yet.";
  return `Memory over time. Now: ${last.devices.map(({ device, usedBytes }) => `${device} ${bytes(usedBytes)}`).join(", ")}.`;
}

/** @param {EngineState} state */
function figures({ devices, models }) {
  const used = devices.reduce((sum, { usedBytes }) => sum + usedBytes, 0);
  const parts = models.flatMap(({ memory }) => memory);
  const sum = (/** @type {"modelBytes" | "contextBytes" | "computeBytes"} */ name) =>
    parts.reduce((all, part) => all + part[name], 0);
  const kept = devices.reduce((all, { conversationBytes }) => all + conversationBytes, 0);
  /** @type {readonly (readonly [string, number])[]} */
  const all = [
    ["Taken by models", used],
    ["Weights", sum("modelBytes")],
    ["KV caches", sum("contextBytes")],
    ["Compute buffers", sum("computeBytes")],
    ["Idle conversations", kept],
  ];
  return el(
    "dl",
    { class: "figures" },
    ...all.map(([name, value]) => el("div", {}, el("dt", {}, name), el("dd", {}, bytes(value)))),
  );
}

/** @param {EngineState} state */
function deviceTable({ devices }) {
  const rows = devices.map((one) => [
    one.device,
    one.type,
    bytes(one.usedBytes),
    bytes(one.conversationBytes),
    one.budgetBytes === null ? "no limit" : bytes(one.budgetBytes),
    bytes(one.freeBytes),
    bytes(one.totalBytes),
  ]);
  return table(
    "Devices",
    ["Device", "Type", "Used", "Idle conversations", "Budget", "Free", "Total"],
    rows,
    [2, 3, 4, 5, 6],
  );
}

/** @param {EngineState} state */
function modelTable({ models }) {
  if (models.length === 0) return el("p", { class: "empty" }, "No models are loaded.");
  const rows = models.flatMap((model) => {
    const parts =
      model.memory.length > 0
        ? model.memory
        : [{ device: model.address ?? "–", layers: 0, modelBytes: 0, contextBytes: 0, computeBytes: 0 }];
    return parts.map((part, index) => [
      index === 0 ? model.modelId : "",
      index === 0 ? `${model.state}${model.pinned ? ", pinned" : ""}` : "",
      part.device,
      number(part.layers),
      index === 0 ? `${number(model.parallel)} × ${number(model.contextSize)}` : "",
      bytes(part.modelBytes),
      bytes(part.contextBytes),
      bytes(part.computeBytes),
    ]);
  });
  const heads = ["Model", "State", "Device", "Layers", "Contexts (tokens)", "Weights", "KV cache", "Compute"];
  return table("Models and their contexts", heads, rows, [3, 4, 5, 6, 7]);
}
