// The hooks, point by point, with what each is called for and what it has done.
import { el, table } from "./dom.js";
import { duration, number } from "./format.js";

/** @import { EngineState } from "../../wire/wire.js" */
/** @typedef {EngineState["hooks"][number]} Hook */
/** @typedef {EngineState["ended"][number]} EndedHook */

const counts = ["Fired", "Matched", "Calls", "Changes", "Vetoes", "Failures", "Mean", "Total"];
const figures = [4, 5, 6, 7, 8, 9, 10, 11];

/** @param {Pick<EngineState, "hooks" | "ended">} state */
export function hookTables({ hooks, ended }) {
  return [
    hooks.length === 0
      ? el("p", { class: "empty" }, "No hooks are registered on this engine.")
      : table(
          "Hooks in the order in which they run, point by point",
          ["Point", "Hook", "Kind", "When", ...counts],
          hooks.map((hook) => row(hook, traits(hook))),
          figures,
        ),
    ended.length === 0
      ? ""
      : table(
          "Hooks that are not called any more",
          ["Point", "Hook", "Of", "When", ...counts],
          ended.map((hook) => row(hook, hook.sessionId === null ? "" : `session ${hook.sessionId}`)),
          figures,
        ),
  ];
}

/** @param {Hook | EndedHook} hook @param {string} kind */
function row(hook, kind) {
  const done = [hook.fired, hook.matched, hook.calls, hook.modifications, hook.cancels, hook.failures];
  return [
    hook.point,
    el("span", { title: hook.location }, hook.name === "" ? `hook ${hook.id}` : hook.name),
    kind,
    hook.when === null ? "" : el("code", {}, JSON.stringify(hook.when)),
    ...done.map((count) => (count === 0 ? "–" : number(count))),
    hook.calls === 0 ? "" : duration(hook.totalUs / hook.calls),
    duration(hook.totalUs),
  ];
}

/** @param {Hook} hook */
function traits(hook) {
  const { guard, failClosed, observe, originalContext, parallel, once, native, priority, deadlineMs } = hook;
  return [
    hook.sessionId !== null ? `session ${hook.sessionId}` : hook.level === "engine" ? "" : `of one ${hook.level}`,
    native ? "native" : "",
    guard ? "guard" : "",
    observe ? "observer" : "",
    failClosed && !guard ? "fails closed" : "",
    originalContext ? "original event" : "",
    parallel ? "parallel" : "",
    once ? "once" : "",
    priority === 0 ? "" : `priority ${priority}`,
    observe || native ? "" : deadlineMs === 0 ? "no timeout" : `${number(deadlineMs)} ms`,
  ]
    .filter(Boolean)
    .join(", ");
}
