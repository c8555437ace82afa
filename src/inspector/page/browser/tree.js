// The tree of runs: only the rows that can be seen are elements, so that its length costs nothing. Must not: scroll or
// take the focus unless a person asked for it.
import { duration, plural } from "./format.js";
import { rowHeight } from "./timeline.js";

/** @import { TraceNode } from "./model.js" */
/** @import { Row } from "./rows.js" */

/** Levels that are indented: more would move the names out of sight. */
const mostLevels = 40;

/** @typedef {{ select(node: TraceNode): void, toggle(node: TraceNode, open: boolean): void, enter(): void, key(event: KeyboardEvent): boolean }} TreeEvents */

export class Tree {
  #tree;
  #holder;
  #events;
  /** @type {readonly Row[]} */
  #rows = [];
  /** @type {string | null} */
  #selected = null;
  /** The place of the selected row; -1: it is not shown. */
  #at = -1;

  /** @param {HTMLElement} tree @param {HTMLElement} holder @param {TreeEvents} events */
  constructor(tree, holder, events) {
    this.#tree = tree;
    this.#holder = holder;
    this.#events = events;
    tree.addEventListener("keydown", (event) => this.#key(event));
    holder.addEventListener("click", (event) => this.#click(event));
    holder.addEventListener("dblclick", () => this.#events.key(new KeyboardEvent("keydown", { key: "f" })));
    tree.addEventListener("focus", () => {
      if (this.#at < 0 && this.#rows.length > 0) this.#go(0);
    });
  }

  get selected() {
    return this.#selected;
  }

  /** @param {readonly Row[]} rows */
  update(rows) {
    this.#rows = rows;
    this.#at = rows.findIndex(({ node }) => node.id === this.#selected);
    this.#holder.style.height = `${rows.length * rowHeight}px`;
    this.draw();
  }

  /** Selects a row and brings it into view. @param {string | null} id */
  select(id) {
    this.#selected = id;
    this.#at = this.#rows.findIndex(({ node }) => node.id === id);
    if (this.#at >= 0) this.#reveal(this.#at);
    this.draw();
  }

  /** Makes the rows that can be seen. */
  draw() {
    const { scrollTop, clientHeight } = this.#tree;
    const first = Math.max(0, Math.floor(scrollTop / rowHeight) - 4);
    const last = Math.min(this.#rows.length, Math.ceil((scrollTop + clientHeight) / rowHeight) + 4);
    const old = /** @type {HTMLElement[]} */ ([...this.#holder.children]);
    let used = 0;
    for (let index = first; index < last; index++) {
      const row = this.#rows[index];
      if (row === undefined) continue;
      let element = old[used++];
      if (element === undefined) this.#holder.append((element = newRow()));
      fill(element, row, index, index === this.#at);
    }
    for (const element of old.slice(used)) element.remove();
    const active = this.#at >= first && this.#at < last ? `row-${this.#rows[this.#at]?.node.id}` : null;
    if (active === null) this.#tree.removeAttribute("aria-activedescendant");
    else this.#tree.setAttribute("aria-activedescendant", active);
  }

  /** @param {number} index */
  #go(index) {
    const row = this.#rows[Math.max(0, Math.min(this.#rows.length - 1, index))];
    if (row === undefined) return;
    this.select(row.node.id);
    this.#events.select(row.node);
  }

  /** @param {number} index */
  #reveal(index) {
    const [top, bottom] = [index * rowHeight, (index + 1) * rowHeight];
    if (top < this.#tree.scrollTop) this.#tree.scrollTop = top;
    else if (bottom > this.#tree.scrollTop + this.#tree.clientHeight)
      this.#tree.scrollTop = bottom - this.#tree.clientHeight;
  }

  /** @param {MouseEvent} event */
  #click(event) {
    const target = /** @type {Element} */ (event.target);
    const index = Number(/** @type {HTMLElement | null} */ (target.closest("[data-index]"))?.dataset["index"] ?? -1);
    const row = this.#rows[index];
    if (row === undefined) return;
    this.#go(index);
    if (target.closest(".twist") !== null && row.isOpen !== null) this.#events.toggle(row.node, !row.isOpen);
  }

  /** @param {KeyboardEvent} event */
  #key(event) {
    if (event.altKey || event.ctrlKey || event.metaKey) return;
    if (this.#events.key(event) || this.#move(event)) event.preventDefault();
  }

  /** @param {KeyboardEvent} event @returns {boolean} */
  #move({ key }) {
    const page = Math.max(1, Math.floor(this.#tree.clientHeight / rowHeight) - 1);
    /** @type {Readonly<Record<string, number>>} */
    const places = {
      ArrowDown: this.#at + 1,
      ArrowUp: this.#at - 1,
      PageDown: this.#at + page,
      PageUp: this.#at - page,
      Home: 0,
      End: this.#rows.length - 1,
    };
    const place = places[key];
    if (place !== undefined) this.#go(place);
    else if (key === "ArrowRight" || key === "ArrowLeft") this.#unfold(key === "ArrowRight");
    else if (key === "Enter" || key === " ") this.#events.enter();
    else return false;
    return true;
  }

  /** Opens a row, or goes to its first child; closes a row, or goes to its parent. @param {boolean} opens */
  #unfold(opens) {
    const row = this.#rows[this.#at];
    if (row === undefined) return;
    if (row.isOpen === !opens) this.#events.toggle(row.node, opens);
    else if (opens && row.isOpen === true) this.#go(this.#at + 1);
    else if (!opens && row.node.parent !== null) this.#go(this.#rows.findIndex(({ node }) => node === row.node.parent));
  }
}

function newRow() {
  const row = document.createElement("div");
  row.setAttribute("role", "treeitem");
  for (const name of ["twist", "dot", "name", "extra"]) {
    const part = document.createElement("span");
    part.className = name;
    if (name === "twist" || name === "dot") part.setAttribute("aria-hidden", "true");
    row.append(part);
  }
  return row;
}

/** @param {HTMLElement} element @param {Row} row @param {number} index @param {boolean} isSelected */
function fill(element, { node, level, place, size, isOpen }, index, isSelected) {
  const [twist, dot, name, extra] = /** @type {HTMLElement[]} */ ([...element.children]);
  if (!twist || !dot || !name || !extra) return;
  element.id = `row-${node.id}`;
  element.dataset["index"] = String(index);
  element.className = `row ${node.kind}${node.isFailed ? " failed" : ""}`;
  element.style.top = `${index * rowHeight}px`;
  element.style.setProperty("--level", String(Math.min(level - 1, mostLevels)));
  element.setAttribute("aria-level", String(level));
  element.setAttribute("aria-posinset", String(place));
  element.setAttribute("aria-setsize", String(size));
  element.setAttribute("aria-selected", String(isSelected));
  if (isOpen === null) element.removeAttribute("aria-expanded");
  else element.setAttribute("aria-expanded", String(isOpen));
  twist.textContent = isOpen === null ? "" : isOpen ? "▾" : "▸";
  name.textContent = node.name;
  extra.textContent = extraOf(node);
  element.setAttribute("aria-label", labelOf(node));
}

/** @param {TraceNode} node */
function extraOf({ facts, code, counts, kind, children }) {
  const { vetoes, failures } = counts;
  if (code !== null) return code;
  if (kind === "toolCall")
    return typeof facts["resultKind"] === "string" && facts["resultKind"] !== "ok" ? facts["resultKind"] : "";
  const parts = [vetoes > 0 ? plural(vetoes, "veto", "vetoes") : "", failures > 0 ? plural(failures, "failure") : ""]
    .filter(Boolean)
    .join(", ");
  if (parts !== "") return parts;
  return kind === "session" && children.length > 1 ? `${children.length} runs` : "";
}

/** @param {TraceNode} node */
function labelOf(node) {
  const { vetoes, failures, changes } = node.counts;
  const counts = [
    vetoes > 0 ? `vetoes: ${vetoes}` : "",
    failures > 0 ? `failures: ${failures}` : "",
    changes > 0 ? `changes: ${changes}` : "",
  ];
  const time = node.end === null ? "" : duration(node.end - node.begin);
  return [node.name, time, node.code ?? "", ...counts].filter(Boolean).join(", ");
}
