// Draws the bars of the visible rows and the overview above them. The work depends on the rows that are visible, not on
// the length of the trace. Must not: keep anything of the model.
import { duration } from "./format.js";
import { levelOf } from "./levels.js";

/** @import { TraceModel, TraceNode } from "./model.js" */
/** @import { Row } from "./rows.js" */

/** @typedef {{ readonly from: number, readonly to: number }} Span in microseconds of the trace's clock */

export const rowHeight = 26;
const overviewHeight = 34;
const least = 5;
/** The line of the overview that an activity belongs to, if it has none of its own. @type {Readonly<Record<string, string>>} */
const lineOf = { generation: "modelCall", embedding: "modelCall", rerank: "modelCall", modelLoad: "run" };

export class Timeline {
  /** The time that is shown; null: all of it. @type {Span | null} */
  shown = null;
  #bars;
  #overview;
  /** @type {() => void} */
  #changed;
  /** Of the last drawing. @type {Span} */
  #whole = { from: 0, to: 1 };

  /** @param {HTMLCanvasElement} bars @param {HTMLCanvasElement} overview @param {() => void} changed */
  constructor(bars, overview, changed) {
    this.#bars = bars;
    this.#overview = overview;
    this.#changed = changed;
    overview.addEventListener("pointerdown", (event) => this.#drag(event));
  }

  /** @param {number} factor below 1: zooms in @param {number} [at] the time that stays in place */
  zoom(factor, at) {
    const { from, to } = this.view();
    const middle = at ?? (from + to) / 2;
    this.show({ from: middle - (middle - from) * factor, to: middle + (to - middle) * factor });
  }

  /** @param {number} share of what is shown */
  pan(share) {
    const { from, to } = this.view();
    const by = (to - from) * share;
    this.show({ from: from + by, to: to + by });
  }

  /** @param {Span | null} span */
  show(span) {
    const { from, to } = this.#whole;
    if (span === null || (span.from <= from && span.to >= to)) this.shown = null;
    else {
      const width = Math.max(least, Math.min(span.to - span.from, to - from));
      const begin = Math.max(from, Math.min(span.from, to - width));
      this.shown = { from: begin, to: begin + width };
    }
    this.#changed();
  }

  /** @returns {Span} */
  view() {
    return this.shown ?? this.#whole;
  }

  /**
   * @param {TraceModel} model
   * @param {readonly Row[]} rows all that are open
   * @param {{ readonly scrollTop: number, readonly now: number, readonly selected: string | null }} view
   */
  draw(model, rows, { scrollTop, now, selected }) {
    const hasTimes = model.first <= model.last;
    const from = hasTimes ? model.first : 0;
    this.#whole = { from, to: Math.max(hasTimes ? Math.max(model.last, now) : 1, from + least) };
    const colors = colorsOf(this.#bars);
    this.#drawBars(model, rows, { scrollTop, now, selected, colors });
    this.#drawOverview(model, now, colors);
  }

  /**
   * @param {TraceModel} model @param {readonly Row[]} rows
   * @param {{ readonly scrollTop: number, readonly now: number, readonly selected: string | null, readonly colors: Colors }} view
   */
  #drawBars(model, rows, { scrollTop, now, colors }) {
    const [context, width, height] = prepared(this.#bars);
    const { from, to } = this.view();
    const scale = width / (to - from);
    const x = (/** @type {number} */ time) => (time - from) * scale;
    context.fillStyle = colors("grid");
    for (const at of marks(from, to, width)) context.fillRect(Math.round(x(at)), 0, 1, height);
    const first = Math.max(0, Math.floor(scrollTop / rowHeight));
    const last = Math.min(rows.length, Math.ceil((scrollTop + height) / rowHeight));
    for (let index = first; index < last; index++) {
      const node = rows[index]?.node;
      if (node === undefined) continue;
      const y = index * rowHeight - scrollTop;
      const [left, right] = [x(node.begin), x(node.end ?? Math.max(now, node.begin))];
      if (right >= 0 && left <= width) drawBar(context, colors, node, left, right, y, width, !model.isRecording);
      drawMarks(context, colors, model, node, y, x, width);
    }
  }

  /** @param {TraceModel} model @param {number} now @param {Colors} colors */
  #drawOverview(model, now, colors) {
    const [context, width, height] = prepared(this.#overview);
    const { from, to } = this.#whole;
    const scale = width / (to - from);
    drawDensity(context, colors, model, now, from, scale, Math.ceil(width));
    const view = this.view();
    const [left, right] = [(view.from - from) * scale, (view.to - from) * scale];
    context.fillStyle = colors("shade");
    context.fillRect(0, 0, left, overviewHeight);
    context.fillRect(right, 0, width - right, overviewHeight);
    context.strokeStyle = colors("accent");
    context.lineWidth = 1;
    context.strokeRect(left + 0.5, 0.5, Math.max(1, right - left - 1), overviewHeight - 1);
    if (model.isRecording) return;
    context.fillStyle = colors("muted");
    context.font = `11px ${getComputedStyle(this.#overview).fontFamily}`;
    const inView = width / (view.to - view.from);
    for (const at of marks(view.from, view.to, width)) {
      const label = duration(at - from);
      const place = Math.min((at - view.from) * inView, width - context.measureText(label).width);
      context.fillText(label, Math.max(0, place), height - 5);
    }
  }

  /** @param {PointerEvent} start */
  #drag(start) {
    const { left, width } = this.#overview.getBoundingClientRect();
    const { from, to } = this.#whole;
    const timeAt = (/** @type {PointerEvent} */ event) =>
      from + Math.max(0, Math.min(1, (event.clientX - left) / width)) * (to - from);
    const begin = timeAt(start);
    const { from: low, to: high } = this.view();
    const isMove = this.shown !== null && begin >= low && begin <= high;
    const move = (/** @type {PointerEvent} */ event) => {
      const at = timeAt(event);
      if (isMove) this.show({ from: low + at - begin, to: high + at - begin });
      else if (Math.abs(event.clientX - start.clientX) > 3)
        this.show({ from: Math.min(begin, at), to: Math.max(begin, at) });
    };
    this.#overview.setPointerCapture(start.pointerId);
    this.#overview.addEventListener("pointermove", move);
    this.#overview.addEventListener("pointerup", () => this.#overview.removeEventListener("pointermove", move), {
      once: true,
    });
  }
}

/** @typedef {(name: string) => string} Colors */

/** @param {HTMLElement} element @returns {Colors} */
function colorsOf(element) {
  const style = getComputedStyle(element);
  /** @type {Map<string, string>} */
  const known = new Map();
  return (name) => {
    let color = known.get(name);
    if (color === undefined) known.set(name, (color = style.getPropertyValue(`--${name}`).trim()));
    return color;
  };
}

/** A cleared canvas in the pixels of the screen. @param {HTMLCanvasElement} canvas @returns {[CanvasRenderingContext2D, number, number]} */
function prepared(canvas) {
  const { clientWidth: width, clientHeight: height } = canvas;
  const [wide, high] = [
    Math.max(1, Math.round(width * devicePixelRatio)),
    Math.max(1, Math.round(height * devicePixelRatio)),
  ];
  if (canvas.width !== wide || canvas.height !== high) [canvas.width, canvas.height] = [wide, high];
  const context = /** @type {CanvasRenderingContext2D} */ (canvas.getContext("2d"));
  context.setTransform(devicePixelRatio, 0, 0, devicePixelRatio, 0, 0);
  context.clearRect(0, 0, width, height);
  return [context, Math.max(1, width), height];
}

/** Round times, at least 70 pixels apart. @param {number} from @param {number} to @param {number} width */
function marks(from, to, width) {
  const raw = ((to - from) * 70) / width;
  const power = 10 ** Math.floor(Math.log10(Math.max(raw, 1e-3)));
  const gap = power * ([1, 2, 5, 10].find((one) => one * power >= raw) ?? 10);
  const found = [];
  for (let at = from; at < to && found.length < 100; at += gap) found.push(at);
  return found;
}

/** @param {CanvasRenderingContext2D} context @param {Colors} colors @param {TraceNode} node @param {number} left @param {number} right @param {number} y @param {number} width @param {boolean} timed */
function drawBar(context, colors, node, left, right, y, width, timed) {
  const isOuter = node.kind === "session" || node.kind === "engine";
  const thick = isOuter ? 4 : node.kind === "run" ? 10 : 14;
  const [begin, end] = [Math.max(left, -4), Math.min(Math.max(right, left + 2), width + 4)];
  const top = y + (rowHeight - thick) / 2;
  context.fillStyle = colors(`bar-${node.kind}`);
  context.beginPath();
  context.roundRect(begin, top, end - begin, thick, 2);
  context.fill();
  if (node.isFailed) {
    context.strokeStyle = colors("missed");
    context.lineWidth = 1.5;
    context.strokeRect(begin - 0.5, top - 0.5, end - begin + 1, thick + 1);
  }
  if (node.end === null) drawOpenEnd(context, colors, end, y);
  if (isOuter || !timed) return;
  const label = node.end === null ? "" : duration(node.end - node.begin);
  context.font = `11px ${getComputedStyle(context.canvas).fontFamily}`;
  const room = context.measureText(label).width + 8;
  context.fillStyle = colors("muted");
  if (right + room < width) context.fillText(label, end + 5, y + rowHeight / 2 + 4);
  else if (left - room > 0) context.fillText(label, left - room, y + rowHeight / 2 + 4);
}

/** @param {CanvasRenderingContext2D} context @param {Colors} colors @param {number} end @param {number} y */
function drawOpenEnd(context, colors, end, y) {
  context.fillStyle = colors("accent");
  context.fillRect(end - 2, y + 4, 2, rowHeight - 8);
}

/** The decisions that did something: one mark for all within a pixel. @param {CanvasRenderingContext2D} context @param {Colors} colors @param {TraceModel} model @param {TraceNode} node @param {number} y @param {(time: number) => number} x @param {number} width */
function drawMarks(context, colors, model, node, y, x, width) {
  if (node.kind === "session" || node.kind === "engine") return;
  /** @type {Map<number, string>} */
  const drawn = new Map();
  for (const one of model.dispatches.of(node)) {
    const level = levelOf(one);
    if (level === "none" || level === "pass") continue;
    const at = Math.round(x(one.clockUs));
    if (at < 0 || at > width || drawn.get(at) === "veto" || drawn.get(at) === level) continue;
    drawn.set(at, level);
    context.fillStyle = colors(level);
    if (level === "change") context.fillRect(at - 1, y + 4, 3, rowHeight - 8);
    else {
      context.beginPath();
      context.moveTo(at, y + 3);
      context.lineTo(at + 5, y + rowHeight / 2);
      context.lineTo(at, y + rowHeight - 3);
      context.lineTo(at - 5, y + rowHeight / 2);
      context.fill();
    }
  }
}

/** @param {CanvasRenderingContext2D} context @param {Colors} colors @param {TraceModel} model @param {number} now @param {number} from @param {number} scale @param {number} width */
function drawDensity(context, colors, model, now, from, scale, width) {
  const lines = ["run", "modelCall", "toolCall"];
  /** @type {Map<string, Uint8Array>} */
  const filled = new Map();
  for (const node of model.nodes()) {
    const kind = lineOf[node.kind] ?? node.kind;
    if (!lines.includes(kind)) continue;
    let line = filled.get(kind);
    if (line === undefined) filled.set(kind, (line = new Uint8Array(width + 1)));
    const [left, right] = [node.begin, node.end ?? now].map((time) =>
      Math.max(0, Math.min(width, Math.floor((time - from) * scale))),
    );
    line.fill(1, left, (right ?? 0) + 1);
  }
  for (const [index, kind] of lines.entries()) {
    const line = filled.get(kind);
    if (line === undefined) continue;
    context.fillStyle = colors(`bar-${kind}`);
    for (let at = 0; at < line.length; at++) if (line[at] === 1) context.fillRect(at, 5 + index * 9, 1, 7);
  }
}
