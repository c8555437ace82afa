// Hooks of every kind for the soak of sessions: guards, transforms, observers, slow ones, failing ones.
import { setTimeout as sleep } from "node:timers/promises";
import { cancel, pointNames } from "../../dist/index.js";

/** The mark that a hook appends to each result of the tool `weather`, for the ledger. */
export const mark = " (checked)";

/**
 * `draw()` returns a number below 1; `counts` receives the number of events at each point. Points of tokens and of
 * progress have one hook each, all others at least two.
 */
export function addHooks({ hooks }, draw, counts) {
  for (const point of pointNames)
    hooks.on(point, () => void (counts[point] = (counts[point] ?? 0) + 1), { observe: true, name: "counts" });

  hooks.guard("preToolCall", ({ toolName }) => (toolName === "forbidden" ? cancel("not that one") : undefined));
  hooks.guard("preGenerate", async () => void (await undefined));
  hooks.guard("userMessage", () => undefined);

  hooks.on("preToolCall", ({ args }) => ({ args: { ...args, city: args.city.toUpperCase() } }), {
    when: { toolName: "weather", args: ({ city }) => typeof city === "string" },
  });
  hooks.on("postToolCall", shows, { when: { toolName: "weather", resultKind: "ok" } });
  hooks.on("userMessage", ({ content }) => ({ content: content.trim() }));
  hooks.on("preGenerate", async ({ params }) => ({ params: { ...params, seed: 7 } }));
  hooks.on("streamToken", ({ text }) => ({ text: text.replaceAll("cold", "COLD") }), { when: { kind: "content" } });
  hooks.on("contextAssemble", () => (draw() < 0.2 ? { inject: [{ content: "It rains." }] } : undefined));
  hooks.on("toolResultPersist", ({ result }) => ({ result: `${result}` }));
  hooks.on("delegateComplete", async ({ summary }) => ({ summary: `${summary}!` }));
  hooks.on("postGenerate", () => (draw() < 0.01 ? { halt: "enough of this" } : undefined));
  hooks.on("permissionCheck", asks, { when: { permission: "ask" } });

  hooks.on("iterationEnd", async () => void (await sleep(draw() < 0.1 ? 2 : 0)));
  hooks.on("loopIteration", () => {
    if (draw() < 0.05) throw new Error("this hook fails at times");
  });
  hooks.on("contextBudget", () => Promise.reject(new Error("this one always")), {
    when: { meta: () => draw() < 0.05 },
  });

  async function shows({ result }) {
    if (draw() < 0.1) await sleep(1);
    return { result: `${result}${mark}` };
  }

  /** Simulates asking a person, who takes a moment and does not always allow. */
  async function asks() {
    await sleep(draw() * 4);
    return draw() < 0.5 ? { permission: "allow" } : { permission: "deny", reason: "not today" };
  }
}
