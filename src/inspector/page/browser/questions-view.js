// Questions that wait for a person: may a tool run, and what a tool asks for.
import { byId, el, factList } from "./dom.js";
import { clockTime } from "./format.js";

/** @import { OpenQuestion } from "../../wire/wire.js" */

/** @typedef {(id: string, answer: unknown) => Promise<unknown>} SendAnswer */

export class QuestionsView {
  #list = byId("questions", HTMLElement);
  #badge = byId("question-count", HTMLElement);
  #send;
  /** By id, so that what a person has typed stays while other questions come and go. @type {Map<string, HTMLElement>} */
  #cards = new Map();
  #heading = el("h2", {}, "Open questions");
  #empty = el("p", { class: "empty" });

  /** @param {SendAnswer} send */
  constructor(send) {
    this.#send = send;
    this.#list.append(this.#heading, this.#empty);
  }

  /** @param {readonly OpenQuestion[] | undefined} questions undefined: nobody asks here */
  show(questions) {
    const open = questions ?? [];
    this.#badge.hidden = open.length === 0;
    this.#badge.textContent = String(open.length);
    this.#empty.hidden = open.length > 0;
    this.#empty.textContent =
      questions === undefined
        ? "No list of questions was given to the inspector (option questions)."
        : "No question waits. Calls for which a rule says ask, and tools that ask for input, wait here for your answer.";
    const ids = new Set(open.map(({ id }) => id));
    for (const [id, card] of this.#cards)
      if (!ids.has(id)) {
        const hadFocus = card.contains(document.activeElement);
        card.remove();
        this.#cards.delete(id);
        if (hadFocus) this.#focusNext();
      }
    for (const question of open)
      if (!this.#cards.has(question.id)) {
        const card = this.#card(question);
        this.#cards.set(question.id, card);
        this.#list.append(card);
      }
  }

  #focusNext() {
    const next = this.#list.querySelector("form button");
    if (next instanceof HTMLElement) next.focus();
    else byId("tab-questions", HTMLElement).focus();
  }

  /** @param {OpenQuestion} question */
  #card(question) {
    const { kind, toolName, args, rule, tier, origin, runId, sessionId, askedAt, message, schema } = question;
    const isPermission = kind === "permission";
    const text = (/** @type {unknown} */ value) => JSON.stringify(value ?? {}, undefined, 2);
    const form = el(
      "form",
      { class: "question", "aria-label": isPermission ? `Permission for ${toolName}` : `Input for ${toolName}` },
      el("h3", {}, isPermission ? "May this call run?" : "A tool asks for input", el("code", {}, toolName)),
      isPermission ? el("pre", {}, text(args)) : el("p", { class: "message" }, message),
      factList([
        ["Asked", clockTime(askedAt * 1000)],
        ["Rule", rule],
        ["Tier", tier],
        ["Origin", origin],
        ["Run", runId],
        ["Session", sessionId],
      ]),
    );
    const error = el("p", { class: "error", role: "alert", hidden: true });
    form.append(...(isPermission ? permissionFields() : inputFields(schema)), error);
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      void this.#answer(form, question, /** @type {HTMLButtonElement | null} */ (event.submitter), error);
    });
    return form;
  }

  /** @param {HTMLFormElement} form @param {OpenQuestion} question @param {HTMLButtonElement | null} button @param {HTMLElement} error */
  async #answer(form, { id, kind }, button, error) {
    const buttons = [...form.querySelectorAll("button")];
    try {
      const fields = new FormData(form);
      const answer =
        kind === "permission"
          ? permissionOf(fields, button?.value === "allow")
          : inputOf(fields, button?.value ?? "cancel");
      for (const one of buttons) one.disabled = true;
      await this.#send(id, answer);
    } catch (thrown) {
      for (const one of buttons) one.disabled = false;
      error.hidden = false;
      error.textContent = thrown instanceof Error ? thrown.message : String(thrown);
    }
  }
}

function permissionFields() {
  const choice = el(
    "select",
    { name: "remember" },
    el("option", { value: "" }, "only this call"),
    el("option", { value: "call" }, "same arguments again"),
    el("option", { value: "tool" }, "every call of the tool"),
  );
  return [
    el(
      "label",
      {},
      "Reason, which the model is told ",
      el("input", { name: "reason", maxlength: 1000, autocomplete: "off" }),
    ),
    el("label", {}, "Answer for ", choice),
    el(
      "p",
      { class: "buttons" },
      el("button", { value: "allow", class: "allow" }, "Allow"),
      el("button", { value: "deny", class: "deny" }, "Deny"),
    ),
  ];
}

/** @param {Readonly<Record<string, unknown>> | undefined} schema */
function inputFields(schema) {
  return [
    el(
      "details",
      {},
      el("summary", {}, "Schema of the answer"),
      el("pre", {}, JSON.stringify(schema ?? {}, undefined, 2)),
    ),
    el(
      "label",
      {},
      "Answer, as a JSON object ",
      el("textarea", { name: "content", rows: 4, spellcheck: "false" }, template(schema)),
    ),
    el(
      "p",
      { class: "buttons" },
      el("button", { value: "accept", class: "allow" }, "Send"),
      el("button", { value: "decline", class: "deny" }, "Decline"),
    ),
  ];
}

/** An object with the properties of the schema. @param {Readonly<Record<string, unknown>> | undefined} schema */
function template(schema) {
  const properties = schema?.["properties"];
  if (typeof properties !== "object" || properties === null) return "{}";
  const empty = Object.entries(properties).map(([name, part]) => [name, emptyOf(part)]);
  return JSON.stringify(Object.fromEntries(empty), undefined, 2);
}

/** @param {unknown} part */
function emptyOf(part) {
  const { type, enum: values } = /** @type {{ type?: unknown, enum?: unknown }} */ (part ?? {});
  if (Array.isArray(values)) return values[0];
  return { boolean: false, number: 0, integer: 0, array: [] }[String(type)] ?? "";
}

/** @param {FormData} fields @param {boolean} allow */
function permissionOf(fields, allow) {
  const [reason, remember] = ["reason", "remember"].map((name) => String(fields.get(name) ?? ""));
  return { allow, ...(reason && { reason }), ...(remember && { remember }) };
}

/** @param {FormData} fields @param {string} action */
function inputOf(fields, action) {
  if (action !== "accept") return { action };
  /** @type {unknown} */
  let content;
  try {
    content = JSON.parse(String(fields.get("content") ?? ""));
  } catch {
    throw new Error("The answer is not valid JSON");
  }
  return { action, content };
}
