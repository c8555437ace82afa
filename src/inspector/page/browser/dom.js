// Makes elements. Texts become text nodes only, so that no text of a model or a hook is ever markup.

/** @typedef {Node | string | number | null | undefined | false} Child */
/** @typedef {Readonly<Record<string, string | number | boolean | null | undefined>>} Attributes */

/**
 * @template {keyof HTMLElementTagNameMap} Tag
 * @param {Tag} tag
 * @param {Attributes} [attributes] false, null and undefined leave an attribute out; true sets it without a value
 * @param {...(Child | readonly Child[])} children
 * @returns {HTMLElementTagNameMap[Tag]}
 */
export function el(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value === false || value === null || value === undefined) continue;
    element.setAttribute(name, value === true ? "" : String(value));
  }
  element.append(...children.flat().flatMap((child) => (isShown(child) ? [textOrNode(child)] : [])));
  return element;
}

/** @param {Child} child @returns {child is Node | string | number} */
function isShown(child) {
  return child !== null && child !== undefined && child !== false && child !== "";
}

/** @param {Node | string | number} child */
function textOrNode(child) {
  return typeof child === "number" ? String(child) : child;
}

/**
 * @template {Element} T
 * @param {string} id
 * @param {new (...args: never[]) => T} type
 * @returns {T}
 */
export function byId(id, type) {
  const element = document.getElementById(id);
  if (element instanceof type) return element;
  throw new Error(`The page has no ${type.name} #${id}`);
}

/**
 * A table of rows of cells.
 * @param {string} caption
 * @param {readonly string[]} heads
 * @param {readonly (readonly Child[])[]} rows the first cell of each names the row
 * @param {readonly number[]} [figures] the columns with numbers
 */
export function table(caption, heads, rows, figures = []) {
  const align = (/** @type {number} */ index) => (figures.includes(index) ? "figure" : null);
  return el(
    "div",
    { class: "scroll", tabindex: 0, role: "region", "aria-label": caption },
    el(
      "table",
      {},
      el("caption", {}, el("span", {}, caption)),
      el(
        "thead",
        {},
        el("tr", {}, ...heads.map((head, index) => el("th", { scope: "col", class: align(index) }, head))),
      ),
      el(
        "tbody",
        {},
        ...rows.map((cells) =>
          el(
            "tr",
            {},
            ...cells.map((cell, index) =>
              index === 0 ? el("th", { scope: "row" }, cell) : el("td", { class: align(index) }, cell),
            ),
          ),
        ),
      ),
    ),
  );
}

/** @param {readonly (readonly [string, Child])[]} facts those without a value are left out */
export function factList(facts) {
  const shown = facts.filter(([, value]) => isShown(value));
  return el(
    "dl",
    { class: "facts" },
    ...shown.map(([name, value]) => el("div", {}, el("dt", {}, name), el("dd", {}, value))),
  );
}
