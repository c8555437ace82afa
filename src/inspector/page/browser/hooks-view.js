// The registered hooks, point by point, with what they have done.
import { el, table } from "./dom.js";
import { duration, number } from "./format.js";

/** @import { EngineState } from "../../wire/wire.js" */

/** @param {EngineState["hooks"]} hooks */
export function hookTable(hooks) {
  if (hooks.length === 0) return el("p", { class: "empty" }, "No hooks are registered on this engine.");
  const rows = hooks.map((hook) => {
    const mean = hook.calls === 0 ? "" : duration(hook.totalUs / hook.calls);
    const figures = [hook.calls, hook.modifications, hook.cancels, hook.failures].map((count) =>
      count === 0 ? "–" : number(count),
    );
    return [
      hook.point,
      hook.name === "" ? `hook ${hook.id}` : hook.name,
      traits(hook),
      ...figures,
      mean,
      duration(hook.totalUs),
    ];
  });
  const heads = ["Point", "Hook", "Kind", "Calls", "Changes", "Vetoes", "Failures", "Mean", "Total"];
  return table("Hooks in the order in which they run, point by point", heads, rows, [3, 4, 5, 6, 7, 8]);
}

/** @param {EngineState["hooks"][number]} hook */
function traits({ guard, failClosed, observe, originalContext, parallel, once, native, priority, deadlineMs }) {
  return [
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
