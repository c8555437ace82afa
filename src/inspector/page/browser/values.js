// The fields of one dispatch, before and after its hooks.
import { el } from "./dom.js";
import { number, pretty } from "./format.js";

/** @import { Fields, Values } from "../../wire/wire.js" */
/** @import { Child } from "./dom.js" */

/** @param {Values | null} values @param {ReadonlySet<string>} changed the fields that hooks changed */
export function valueTable(values, changed) {
  if (values === null || (values.left === undefined && values.before === undefined))
    return el("p", { class: "note" }, "No values are kept of this dispatch.");
  const { left = {}, before } = values;
  const names = [...new Set([...Object.keys(before ?? {}), ...Object.keys(left)])];
  const parts = names.toSorted((a, b) => Number(changed.has(b)) - Number(changed.has(a)));
  const isMissing = before === undefined && [...changed].some((name) => name in left);
  return el(
    "div",
    {},
    isMissing
      ? el(
          "p",
          { class: "note" },
          'Only what the hooks left is kept; values: "raw" (--inspect-raw) also keeps what was there before.',
        )
      : null,
    ...parts.map((name) => fieldOf(name, before, left, changed.has(name))),
  );
}

/** @param {string} name @param {Fields | undefined} before @param {Fields} left @param {boolean} isChanged */
function fieldOf(name, before, left, isChanged) {
  const [was, is] = [textOf(before?.[name]), textOf(left[name])];
  const head = el("h4", {}, el("code", {}, name), isChanged ? el("span", { class: "level change" }, "changed") : null);
  if (before === undefined || was === is)
    return el("div", { class: "field" }, head, is === null ? el("p", { class: "note" }, "absent") : el("pre", {}, is));
  const [common, end] = commonOf(was ?? "", is ?? "");
  return el(
    "div",
    { class: "field" },
    head,
    el("div", { class: "sides" }, side("Before", was, common, end, "del"), side("After", is, common, end, "ins")),
  );
}

/** @param {string} title @param {string | null} text @param {number} common @param {number} end @param {"del" | "ins"} tag */
function side(title, text, common, end, tag) {
  /** @type {Child[]} */
  const parts =
    text === null
      ? [el("em", {}, "absent")]
      : [text.slice(0, common), el(tag, {}, text.slice(common, text.length - end)), text.slice(text.length - end)];
  return el("div", {}, el("h5", {}, title), el("pre", {}, ...parts));
}

/** The lengths of the common beginning and of the common end. @param {string} one @param {string} other */
function commonOf(one, other) {
  const most = Math.min(one.length, other.length);
  let begin = 0;
  while (begin < most && one[begin] === other[begin]) begin++;
  let end = 0;
  while (end < most - begin && one[one.length - 1 - end] === other[other.length - 1 - end]) end++;
  return /** @type {const} */ ([begin, end]);
}

/** @param {Fields[string] | undefined} field @returns {string | null} */
function textOf(field) {
  if (field === undefined) return null;
  if (typeof field === "string") return pretty(field);
  return `${pretty(field.text)}\n[cut: ${number(field.length)} characters in all]`;
}
