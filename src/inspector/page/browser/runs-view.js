// The view of runs: the tree, its timeline, and the details of the selected row.
import { detailsOf } from "./details.js";
import { byId, el } from "./dom.js";
import { number, plural } from "./format.js";
import { rowsOf } from "./rows.js";
import { Timeline } from "./timeline.js";
import { Tree } from "./tree.js";

/** @import { TraceModel, TraceNode } from "./model.js" */
/** @import { Row } from "./rows.js" */
/** @import { ReadValues } from "./details.js" */

/** @typedef {{ readonly name: string, readonly model: TraceModel, readonly readValues: ReadValues | null }} Shown */

/** Milliseconds between two drawings while something runs. */
const beat = matchMedia("(prefers-reduced-motion: reduce)").matches ? 1000 : 200;

export class RunsView {
  #treeElement = byId("tree", HTMLElement);
  #details = byId("details", HTMLElement);
  #filter = byId("filter", HTMLInputElement);
  #decided = byId("decided", HTMLInputElement);
  #count = byId("count", HTMLElement);
  #empty = byId("empty", HTMLElement);
  #timeline = new Timeline(byId("bars", HTMLCanvasElement), byId("overview", HTMLCanvasElement), () => this.#ask());
  #tree = new Tree(this.#treeElement, byId("rows", HTMLElement), {
    select: (node) => this.#select(node),
    toggle: (node, open) => this.#toggle(node, open),
    enter: () => this.#enterDetails(),
    key: (event) => this.#key(event),
  });
  /** @type {Shown} */
  #shown;
  /** @type {readonly Row[]} */
  #rows = [];
  /** Ids of closed rows, by source. @type {Map<TraceModel, Set<string>>} */
  #closed = new Map();
  /** @type {{ readonly version: number, readonly asked: boolean }} */
  #drawn = { version: -1, asked: false };
  /** The version of the model whose details are shown, and the selected node. */
  #detailed = "";
  /** When the model's clock was read last. */
  #seen = { clock: -Infinity, at: 0 };
  #timer = 0;

  /** @param {Shown} shown */
  constructor(shown) {
    this.#shown = shown;
    this.#treeElement.addEventListener("scroll", () => this.#ask());
    this.#treeElement.addEventListener("wheel", (event) => this.#wheel(event), { passive: false });
    this.#filter.addEventListener("input", () => this.#refilter());
    this.#decided.addEventListener("change", () => this.#refilter());
    this.#details.addEventListener("keydown", (event) => {
      if (event.key === "Escape") this.#treeElement.focus();
    });
    for (const [id, act] of Object.entries(this.#actions)) byId(id, HTMLButtonElement).addEventListener("click", act);
    new ResizeObserver(() => this.#ask()).observe(this.#treeElement);
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => this.#ask());
    this.#showDetails(null);
  }

  /** @param {Shown} shown */
  show(shown) {
    if (this.#shown.model === shown.model) return;
    this.#shown = shown;
    this.#timeline.show(null);
    this.#seen = { clock: -Infinity, at: 0 };
    this.#tree.select(null);
    this.#treeElement.scrollTop = 0;
    this.#showDetails(null);
    this.#refilter();
  }

  /** The model may have changed, or the view may be visible now. */
  changed() {
    this.#ask();
  }

  /** @type {Readonly<Record<string, () => void>>} */
  get #actions() {
    return {
      "zoom-in": () => this.#timeline.zoom(0.5),
      "zoom-out": () => this.#timeline.zoom(2),
      earlier: () => this.#timeline.pan(-0.25),
      later: () => this.#timeline.pan(0.25),
      fit: () => this.#fit(),
      whole: () => this.#timeline.show(null),
    };
  }

  #ask() {
    if (this.#drawn.asked) return;
    this.#drawn = { ...this.#drawn, asked: true };
    requestAnimationFrame(() => this.#draw());
  }

  #refilter() {
    this.#drawn = { ...this.#drawn, version: -1 };
    this.#ask();
  }

  #draw() {
    const { model } = this.#shown;
    this.#drawn = { ...this.#drawn, asked: false };
    if (this.#treeElement.clientHeight === 0) return; // another view is shown
    if (this.#drawn.version !== model.version) {
      this.#drawn = { ...this.#drawn, version: model.version };
      this.#rows = rowsOf(model, this.#closedOf(model), this.#filter.value, this.#decided.checked);
      this.#tree.update(this.#rows);
      this.#tell(model);
      this.#renewDetails();
    } else this.#tree.draw();
    const { scrollTop } = this.#treeElement;
    this.#timeline.draw(model, this.#rows, { scrollTop, now: this.#now(model), selected: this.#tree.selected });
    clearTimeout(this.#timer);
    if (model.isActive) this.#timer = Number(setTimeout(() => this.#ask(), beat));
  }

  /** The trace's clock now, while something runs. @param {TraceModel} model */
  #now(model) {
    if (model.last > this.#seen.clock) this.#seen = { clock: model.last, at: performance.now() };
    return model.isActive ? this.#seen.clock + (performance.now() - this.#seen.at) * 1000 : model.last;
  }

  /** @param {TraceModel} model */
  #tell(model) {
    const lost = model.lost > 0 ? `, ${plural(model.lost, "older event")} lost` : "";
    this.#count.textContent = `${plural(this.#rows.length, "row")}, ${plural(model.decisions, "decision")}${lost}`;
    this.#empty.hidden = this.#rows.length > 0;
    const isFiltered = this.#filter.value !== "" || this.#decided.checked;
    this.#empty.textContent = isFiltered && model.roots.length > 0 ? "No row matches." : "Nothing has run yet.";
  }

  /** @param {TraceModel} model */
  #closedOf(model) {
    let closed = this.#closed.get(model);
    if (closed === undefined) this.#closed.set(model, (closed = new Set()));
    return closed;
  }

  /** @param {TraceNode} node @param {boolean} open */
  #toggle(node, open) {
    const closed = this.#closedOf(this.#shown.model);
    if (open) closed.delete(node.id);
    else closed.add(node.id);
    this.#refilter();
  }

  /** @param {TraceNode} node */
  #select(node) {
    this.#showDetails(node);
    this.#ask();
  }

  /** Shows more of a node that has changed, unless a person has opened something in it. */
  #renewDetails() {
    const node = this.#rows.find(({ node: { id } }) => id === this.#tree.selected)?.node;
    if (node === undefined || this.#details.querySelector("details[open]") !== null) return;
    if (this.#details.contains(document.activeElement) && document.activeElement !== this.#details) return;
    if (this.#detailed !== stampOf(this.#shown.model, node)) this.#showDetails(node);
  }

  /** @param {TraceNode | null} node */
  #showDetails(node) {
    if (node === null) {
      this.#detailed = "";
      this.#details.replaceChildren(
        el("p", { class: "empty" }, "Select a row to see its times, tokens and decisions."),
      );
      return;
    }
    const { model, readValues } = this.#shown;
    this.#detailed = stampOf(model, node);
    this.#details.replaceChildren(...detailsOf(model, node, readValues));
    this.#details.scrollTop = 0;
  }

  #enterDetails() {
    const first = this.#details.querySelector("summary");
    if (first instanceof HTMLElement) first.focus();
    else this.#details.focus();
  }

  #fit() {
    const row = this.#rows.find(({ node }) => node.id === this.#tree.selected);
    if (row === undefined) return;
    const { begin, end } = row.node;
    const to = end ?? this.#now(this.#shown.model);
    const margin = Math.max(5, (to - begin) * 0.05);
    this.#timeline.show({ from: begin - margin, to: to + margin });
  }

  /** @param {KeyboardEvent} event @returns {boolean} */
  #key({ key, shiftKey }) {
    if (shiftKey && (key === "ArrowLeft" || key === "ArrowRight"))
      this.#timeline.pan(key === "ArrowLeft" ? -0.25 : 0.25);
    else if (key === "+" || key === "=") this.#timeline.zoom(0.5);
    else if (key === "-") this.#timeline.zoom(2);
    else if (key === "0" || key === "Escape") this.#timeline.show(null);
    else if (key === "f") this.#fit();
    else return false;
    return true;
  }

  /** @param {WheelEvent} event */
  #wheel(event) {
    if (event.shiftKey || event.deltaX !== 0) {
      const by = event.deltaX === 0 ? event.deltaY : event.deltaX;
      if (this.#timeline.shown !== null) this.#timeline.pan(Math.max(-0.5, Math.min(0.5, by / 600)));
    } else if (event.ctrlKey || event.metaKey) {
      const { left, width } = byId("bars", HTMLCanvasElement).getBoundingClientRect();
      const { from, to } = this.#timeline.view();
      const share = Math.max(0, Math.min(1, (event.clientX - left) / width));
      this.#timeline.zoom(event.deltaY > 0 ? 1.25 : 0.8, from + (to - from) * share);
    } else return;
    event.preventDefault();
  }
}

/** @param {TraceModel} model @param {TraceNode} node */
function stampOf(model, node) {
  return `${node.id} ${node.end} ${number(model.dispatches.of(node).length)} ${Object.keys(node.facts).length}`;
}
