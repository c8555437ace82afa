// What must and must not compile. Checked by `tsc`, never run.
import {
  cancel,
  defineHooks,
  type Engine,
  type GenerateResult,
  type HookEventOf,
  LlamaHooksError,
  type StandardSchema,
  tool,
} from "../src/index.js";

declare const engine: Engine;
declare const zodLike: StandardSchema<{ city: string }>;
const { hooks } = engine;

// A pre point takes nothing, fields, or a cancel; at once or later.
hooks.on("preGenerate", () => undefined);
hooks.on("preGenerate", ({ messages }) => ({ messages: messages.slice(1) }));
hooks.on("preGenerate", () => ({ messages: [{ role: "user", content: "changed" }] }), { priority: 1000 });
hooks.on("preGenerate", async () => ({ messages: [{ role: "user", content: "changed" }] }), { name: "later" });
hooks.on("preGenerate", async ({ signal }) => (signal.aborted ? cancel("too late") : undefined));
hooks.on("modelLoad", ({ params }) => ({ params: { ...params, gpuLayers: 0 } }));
hooks.on("preGenerate", ({ params }) => {
  params.maxTokens?.toFixed();
});

// A post point cannot cancel.
hooks.on("streamToken", ({ text }) => ({ text: text.toUpperCase() }));
hooks.on("streamToken", ({ text }) => (text.endsWith("4") ? { hold: true } : undefined));
// @ts-expect-error a post point cannot cancel
hooks.on("streamToken", () => cancel("no"));
// @ts-expect-error a TypeScript handler answers with an object, not with the text itself
hooks.on("streamToken", () => "text");
// @ts-expect-error the text is a string
hooks.on("streamToken", () => ({ text: 1 }));

// An info point takes nothing: a veto there must not compile, or it would be ignored.
hooks.on("modelReady", ({ loadMs }) => {
  loadMs.toFixed();
});
hooks.on("modelReady", async () => {
  await Promise.resolve();
});
// @ts-expect-error a veto of an info point
hooks.on("modelReady", () => cancel("no"));
// @ts-expect-error a veto of an info point, later
hooks.on("modelReady", async () => cancel("no"));
// @ts-expect-error a change at an info point
hooks.on("modelReady", () => ({ modelId: "other" }));

// An observer's answer does not count, whatever the point.
hooks.on("preGenerate", () => undefined, { observe: true });
// @ts-expect-error a veto of an observer
hooks.on("preGenerate", () => cancel("no"), { observe: true });

// A guard may cancel, not change, and only at pre points.
hooks.guard("preGenerate", ({ tools }) => (tools.length > 9 ? cancel("too many tools") : undefined));
// @ts-expect-error a guard cannot change
hooks.guard("preGenerate", () => ({ messages: [] }));
// @ts-expect-error a guard needs a pre point
hooks.guard("postGenerate", () => undefined);

// Names and matchers are checked.
// @ts-expect-error no such point
hooks.on("preGenrate", () => undefined);
hooks.on("preToolCall", () => cancel("no files"), { when: { toolName: /^fs_/ } });
hooks.on("preToolCall", () => cancel("no shell"), { when: { toolName: "shell", args: (args) => "path" in args } });
// @ts-expect-error no such field
hooks.on("preToolCall", () => undefined, { when: { tool: "shell" } });

// A point may be named as in C, and by number: the handler's type is the same.
hooks.on("ON_STREAM_TOKEN", ({ text }) => ({ text: text.toUpperCase() }));
hooks.on("LH_HOOK_ON_STREAM_TOKEN", ({ text }) => ({ text: text.toUpperCase() }));
hooks.on(2, ({ text }) => ({ text: text.toUpperCase() }));
hooks.guard("PRE_TOOL_CALL", ({ toolName }) => (toolName === "shell" ? cancel("no shell") : undefined));
hooks.clear("STREAM_TOKEN");
defineHooks("named as in C", {
  STREAM_TOKEN({ text }) {
    return { text: text.toUpperCase() };
  },
  3: ({ toolName }) => (toolName === "shell" ? cancel("no shell") : undefined),
});
// @ts-expect-error a post point cannot cancel, however it is named
hooks.on("POST_GENERATE", () => cancel("no"));
// @ts-expect-error a guard needs a pre point, however it is named
hooks.guard("POST_GENERATE", () => undefined);
// @ts-expect-error no such number
hooks.on(23, () => undefined);

// Sets are typed like single handlers.
hooks.use(
  defineHooks("audit", {
    preGenerate({ messages }) {
      return messages.length === 0 ? cancel("nothing to say") : undefined;
    },
    async postGenerate({ content }) {
      return { content: content.trim() };
    },
    modelUnload() {},
  }),
);
// @ts-expect-error a veto of an info point in a set
defineHooks("veto", { modelUnload: () => cancel("no") });
// @ts-expect-error events are read-only
export const changes = (event: HookEventOf<"streamToken">): void => void (event.text = "x");

// Tools take the type of their arguments from a schema object.
export const weather = tool({ name: "weather", parameters: zodLike, run: ({ city }) => city.toUpperCase() });
export const plain = tool({ name: "plain", parameters: { type: "object" }, run: (args) => args["anything"] });
export const none = tool({ name: "none", run: (_, { signal }) => signal.aborted });

// A generation is a promise of its result and an iteration over its events.
export async function generation(): Promise<GenerateResult> {
  const run = engine.generate("Hello", { maxTokens: 5, stop: ["\n"], tools: [weather, plain, none] });
  for await (const event of run) {
    if (event.type === "token") event.text.trim();
    if (event.type === "end") event.result.usage.cachedTokens.toFixed();
  }
  return run;
}
// @ts-expect-error unknown option
void engine.generate("Hello", { maxToken: 5 });

export async function trace(): Promise<void> {
  for await (const event of engine.trace()) {
    if (event.type === "decision") event.hooks.map((hook) => hook.error?.cause);
    else if (event.event === "generationEnded") event.usage?.promptTokens.toFixed();
  }
}

export const code = (error: unknown): string =>
  error instanceof LlamaHooksError ? (error.decision?.decidedBy?.name ?? error.code) : "";
