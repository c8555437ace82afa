// Files that a person opens, and two sources side by side.
import { compare } from "./compare.js";
import { byId, el } from "./dom.js";
import { plural, pretty } from "./format.js";
import { openText } from "./from-file.js";

/** @import { Opened } from "./from-file.js" */
/** @import { Pair, Step } from "./compare.js" */
/** @import { TraceModel } from "./model.js" */

/** @typedef {{ readonly name: string, readonly model: TraceModel }} Source */
/** @typedef {{ added(file: Opened): void, refused(): void, sources(): readonly Source[] }} FileEvents */

const mostBytes = 256 * 1024 * 1024;
/** Rows of a comparison: a page with more would not answer. */
const mostPairs = 3000;

export class FilesView {
  #error = byId("file-error", HTMLElement);
  #left = byId("compare-left", HTMLSelectElement);
  #right = byId("compare-right", HTMLSelectElement);
  #form = byId("compare", HTMLFormElement);
  #place = byId("comparison", HTMLElement);
  #events;

  /** @param {FileEvents} events */
  constructor(events) {
    this.#events = events;
    const chooser = byId("choose", HTMLInputElement);
    chooser.addEventListener("change", async () => {
      await this.open([...(chooser.files ?? [])]);
      chooser.value = "";
    });
    this.#form.addEventListener("change", () => this.compare());
    this.#form.addEventListener("submit", (event) => event.preventDefault());
    addEventListener("dragover", (event) => this.#drag(event));
    addEventListener("dragleave", (event) => {
      if (event.relatedTarget === null) document.body.classList.remove("dragging");
    });
    addEventListener("drop", (event) => {
      if (!this.#drag(event)) return;
      document.body.classList.remove("dragging");
      void this.open([...(event.dataTransfer?.files ?? [])]);
    });
  }

  /** True: files are dragged, which the page takes. Texts that are dragged go where they always go. @param {DragEvent} event */
  #drag(event) {
    const { dataTransfer } = event;
    if (dataTransfer === null || !dataTransfer.types.includes("Files")) return false;
    event.preventDefault();
    dataTransfer.dropEffect = "copy";
    document.body.classList.add("dragging");
    return true;
  }

  /** @param {readonly File[]} files */
  async open(files) {
    /** @type {string[]} */
    const wrong = [];
    for (const file of files) {
      try {
        if (file.size > mostBytes) throw new Error(`it has more than ${mostBytes} bytes`);
        this.add(file.name, await file.text());
      } catch (error) {
        wrong.push(`${file.name} cannot be opened: ${error instanceof Error ? error.message : String(error)}`);
      }
    }
    this.tell(wrong);
    this.update();
  }

  /** Errors: an Error that says what is wrong with the text. @param {string} name @param {string} text */
  add(name, text) {
    this.#events.added(openText(name, text));
  }

  /** @param {readonly string[]} wrong */
  tell(wrong) {
    this.#error.hidden = wrong.length === 0;
    this.#error.textContent = wrong.join("\n");
    if (wrong.length > 0) this.#events.refused();
  }

  /** Lists the sources, and compares the last two of them unless a person has chosen others. */
  update() {
    const sources = this.#events.sources();
    this.#form.hidden = sources.length < 2;
    for (const [select, preferred] of /** @type {const} */ ([
      [this.#left, sources.length - 2],
      [this.#right, sources.length - 1],
    ])) {
      const chosen =
        select.value === "" || select.options.length !== sources.length ? String(Math.max(0, preferred)) : select.value;
      select.replaceChildren(...sources.map(({ name }, index) => el("option", { value: index }, name)));
      select.value = chosen;
    }
    this.compare();
  }

  compare() {
    const sources = this.#events.sources();
    const [left, right] = [this.#left, this.#right].map((select) => sources[Number(select.value)]);
    if (sources.length < 2 || left === undefined || right === undefined) {
      this.#place.replaceChildren(
        el("p", { class: "empty" }, "Open two files, or one beside the running engine, to compare them."),
      );
      return;
    }
    const runs = compare(left.model, right.model);
    const all = runs.reduce((sum, { differences }) => sum + differences, 0);
    this.#place.replaceChildren(
      el(
        "p",
        { class: "lead" },
        all === 0 ? "No differences: the same steps, ends and decisions." : plural(all, "difference"),
      ),
      ...tablesOf(runs, left.name, right.name),
    );
  }
}

/** The tables of runs, those with differences first if not all fit. @param {ReturnType<typeof compare>} runs @param {string} left @param {string} right @returns {HTMLElement[]} */
function tablesOf(runs, left, right) {
  const isMuch = runs.reduce((sum, { pairs }) => sum + pairs.length, 0) > mostPairs;
  const order = isMuch ? runs.toSorted((a, b) => Number(b.differences > 0) - Number(a.differences > 0)) : runs;
  let room = mostPairs;
  const shown = order.filter((run, index) => (room -= run.pairs.length) >= 0 || index === 0);
  const tables = shown.map((run) => runTable(run, left, right));
  const rest = runs.length - shown.length;
  return rest === 0 ? tables : [...tables, el("p", { class: "empty" }, `${plural(rest, "run")} more`)];
}

/** @param {ReturnType<typeof compare>[number]} run @param {string} left @param {string} right */
function runTable({ name, pairs, differences }, left, right) {
  const what = differences === 0 ? "the same" : plural(differences, "difference");
  return el(
    "details",
    { class: "run", open: differences > 0 },
    el("summary", {}, `${name}: ${what}`),
    el(
      "table",
      { class: "compare" },
      el("thead", {}, el("tr", {}, el("th", { scope: "col" }, left), el("th", { scope: "col" }, right))),
      el("tbody", {}, ...pairs.map(pairRow)),
    ),
  );
}

/** @param {Pair} pair */
function pairRow({ left, right, isSame }) {
  const kind = isSame ? "same" : left === null ? "added" : right === null ? "removed" : "other";
  return el("tr", { class: kind }, stepCell(left, isSame ? "" : "−"), stepCell(right, isSame ? "" : "+"));
}

/** @param {Step | null} step @param {string} sign */
function stepCell(step, sign) {
  if (step === null) return el("td", { class: "none" }, el("span", { class: "hidden" }, "nothing"));
  const text =
    step.detail.startsWith("{") || step.detail.startsWith('"') || step.detail.startsWith("[")
      ? pretty(step.detail)
      : step.detail;
  const cell = el(
    "td",
    {},
    sign === "" ? null : el("span", { class: "sign" }, sign),
    el("strong", {}, step.text),
    text === "" ? null : el("span", { class: "detail" }, text),
  );
  cell.style.setProperty("--depth", String(step.depth));
  return cell;
}
