// Code that must compile, and code that must not. Checked by `tsc`, never run.
import {
  type AnyHookEvent,
  cancel,
  type Cancel,
  defineHooks,
  type Engine,
  type GenerateResult,
  type GuardHandler,
  type Handler,
  type HookAnswers,
  type HookEventOf,
  type HookSetOptions,
  type InfoPoint,
  LlamaHooksError,
  type PointName,
  pointNames,
  type POINTS,
  type PrePoint,
  type StandardSchema,
  tool,
  type Tool,
} from "../../src/index.js";

declare const engine: Engine;
declare const zodLike: StandardSchema<{ city: string }>;
const { hooks } = engine;

// A hook that names the fields that it reads gets those, and may answer any.
hooks.on("preGenerate", ({ params, meta, point, signal }) => void [params, meta, point, signal], {
  fields: ["params"],
});
hooks.on("preGenerate", ({ params }) => ({ params, messages: [] }), { fields: ["params", "iteration"] });
hooks.on("loopStart", ({ messageCount }) => void messageCount, { fields: ["messageCount"], observe: true });
hooks.guard("preGenerate", ({ tools }) => (tools.length > 9 ? cancel("too many") : undefined), { fields: ["tools"] });
// @ts-expect-error An observer's answer has no effect.
hooks.on("preGenerate", () => cancel("late"), { fields: ["params"], observe: true });
// @ts-expect-error A field that it has not named.
hooks.on("preGenerate", ({ messages }) => void messages, { fields: ["params"] });
// @ts-expect-error The point has no such field.
hooks.on("preGenerate", () => undefined, { fields: ["parameters"] });
// @ts-expect-error A guard reads what it has named.
hooks.guard("preGenerate", ({ messages }) => void messages, { fields: ["tools"] });
// @ts-expect-error The event of a session's start has no messages.
hooks.addNative({ library: "/l.so", symbol: "f", point: "sessionStart", fields: ["messages"] });

// So do the handlers of a set, by point.
const some = { fields: { preGenerate: ["params"], POST_GENERATE: ["usage"], loopStart: [] } } as const;
defineHooks(
  "named",
  {
    preGenerate: ({ params, meta, point, signal }) => void [params, meta, point, signal],
    postGenerate: ({ usage, point }) => void [usage.promptTokens, point],
    loopStart: ({ meta }) => void meta,
    contextAssemble: ({ messages }) => ({ messages: messages.slice(1) }),
  },
  some,
);
defineHooks("answers", { preGenerate: ({ params }) => ({ params, messages: [] }) }, some);
// @ts-expect-error A field that the set has not named.
defineHooks("reads", { preGenerate: ({ messages }) => void messages }, { fields: { preGenerate: ["params"] } });
// @ts-expect-error The same, of a point that is named in another way.
defineHooks("reads", { postGenerate: ({ content }) => void content }, some);
// @ts-expect-error A point of which it reads no field.
defineHooks("reads", { loopStart: ({ messages }) => void messages }, some);
// @ts-expect-error The point has no such field.
defineHooks("wrong", {}, { fields: { preGenerate: ["parameters"] } });
// @ts-expect-error There is no such point.
defineHooks("wrong", {}, { fields: { preGenerat: ["params"] } });
// @ts-expect-error There is no such option.
defineHooks("wrong", {}, { field: { preGenerate: ["params"] } });

// A set of observers answers nothing, and a set of guards changes nothing.
defineHooks("observes", { preGenerate: ({ messages }) => void messages, modelReady() {} }, { observe: true });
defineHooks(
  "guards",
  { preToolCall: ({ toolName }) => (toolName === "rm" ? cancel("no") : undefined) },
  { guard: true },
);
declare const whoKnows: HookSetOptions;
defineHooks("either", { preToolCall: () => cancel("no"), postGenerate: () => ({ content: "" }) }, whoKnows);
// @ts-expect-error An observer's veto has no effect.
defineHooks("observes", { preGenerate: () => cancel("no") }, { observe: true });
// @ts-expect-error An observer's answer has no effect.
defineHooks("observes", { postGenerate: () => ({ content: "" }) }, { observe: true, fields: { postGenerate: [] } });
// @ts-expect-error A guard changes nothing.
defineHooks("guards", { preToolCall: () => ({ args: {} }) }, { guard: true });
// @ts-expect-error A guard needs a pre point.
defineHooks("guards", { postToolCall() {} }, { guard: true });

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
hooks.addNative({ library: "a.so", symbol: "a", point: "preToolCall", when: { toolName: /^fs_/, depth: 0 } });
// @ts-expect-error a function is asked in JavaScript
hooks.addNative({ library: "a.so", symbol: "a", point: "preToolCall", when: { toolName: () => true } });
// @ts-expect-error the name is a string
hooks.addNative({ library: "a.so", symbol: "a", point: "preToolCall", when: { toolName: 7 } });
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

// All points: what a handler may return follows from the kind and the fields that the contract gives the point.
type Row<P extends PointName> = (typeof POINTS)[P];
type Mutable<P extends PointName> = Row<P>["mutable" | "answerOnly"][number];
type Changing = { [P in PointName]: Mutable<P> extends never ? never : P }[PointName];
/** The points whose handlers may return that. */
type Taking<Answer> = { [P in PointName]: (() => Answer) extends Handler<P> ? P : never }[PointName];
type Same<A, B> = [A, B] extends [B, A] ? true : false;
type Holds<T extends true> = T;

export type Nothing = Holds<Same<Taking<undefined> & Taking<void> & Taking<Promise<void>>, PointName>>;
export type Vetoes = Holds<Same<Taking<Cancel> & Taking<Promise<Cancel>> & Taking<Cancel | undefined>, PrePoint>>;
export type VetoesLater = Holds<
  Same<Taking<Cancel> | Taking<Promise<Cancel>> | Taking<Promise<Cancel | void>>, PrePoint>
>;
export type Objects = Holds<Same<Taking<object> | Taking<Promise<object>>, Changing>>;
export type Others = Holds<
  Same<Taking<string> | Taking<number> | Taking<boolean> | Taking<null> | Taking<string[]>, never>
>;
export type OthersLater = Holds<Same<Taking<Promise<string>> | Taking<Promise<number>> | Taking<Promise<null>>, never>>;
export type Unknown = Holds<Same<Taking<unknown> | Taking<Promise<unknown>> | Taking<{ oddField: 1 }>, never>>;
export type NoInfo = Holds<Same<Extract<Changing, InfoPoint>, never>>;
type Answers<P extends PointName> = keyof (HookAnswers[P] & object);
export type Fields = Holds<{ [P in PointName]: Same<Answers<P>, Mutable<P>> }[PointName]>;
type Guarding<Answer> = { [P in PrePoint]: (() => Answer) extends GuardHandler<P> ? P : never }[PrePoint];
export type Guards = Holds<Same<Guarding<Cancel> & Guarding<undefined> & Guarding<Promise<Cancel>>, PrePoint>>;
export type GuardsChange = Holds<Same<Guarding<object> | Guarding<string> | Guarding<unknown>, never>>;

// Events of all points are distinguished by `point`, and have the fields that the contract gives it.
type Keys<P extends PointName> = Row<P>["fields"][number] | "meta" | "point" | "signal";
export type Events = Holds<{ [P in PointName]: Same<keyof HookEventOf<P>, Keys<P>> }[PointName]>;
export type DistinctEvents = Holds<
  { [P in PointName]: Same<Extract<AnyHookEvent, { point: P }>, HookEventOf<P>> }[PointName]
>;
export function note(event: AnyHookEvent): undefined {
  // @ts-expect-error not every point has a text
  event.text?.trim();
  switch (event.point) {
    case "streamToken":
      event.text.trim();
      // @ts-expect-error a token has no path
      event.path.trim();
      break;
    case "modelLoad":
    case "modelReady":
      event.path.trim();
      break;
    // @ts-expect-error no such point
    case "preGenrate":
      break;
    default:
      event.point satisfies Exclude<PointName, "streamToken" | "modelLoad" | "modelReady">;
  }
}
for (const point of pointNames) hooks.on(point, note, { name: "everywhere" });
hooks.on("modelReady", note);
defineHooks("notes", { preToolCall: note, modelReady: note });
// @ts-expect-error it returns something, and an info point takes nothing
hooks.on("modelReady", (event: AnyHookEvent) => event.point);
// @ts-expect-error the handler of another point
hooks.on("modelReady", ({ toolName }: HookEventOf<"preToolCall">) => void toolName);

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

// A hook that is bound to a tool knows its arguments, with and without other tests.
declare const shell: Tool<{ readonly command: string }, "shell">;
hooks.on("preToolCall", ({ args, toolName }) => void [args.command.length, toolName satisfies "shell"], {
  tool: shell,
});
hooks.on("postToolCall", async ({ args }) => ({ result: args.command }), { tool: shell, when: { depth: 0 } });
hooks.on("preToolCall", ({ args }) => ({ args: { command: args.command.trim() } }), { tool: shell, name: "trim" });
for (const point of ["preToolCall", "postToolCall"] as const)
  hooks.on(point, (event) => (event.point === "postToolCall" ? void event.result : undefined), { tool: shell });
hooks.on("postToolCall", ({ args }) => void args.command, { tool: shell, fields: ["args"] });
// @ts-expect-error It has not named the result.
hooks.on("postToolCall", ({ result }) => void result, { tool: shell, fields: ["args"] });
hooks.on("preToolCall", ({ args }) => void args.command, { tool: shell, observe: true });
hooks.on("preToolCall", async ({ args }) => void args.command, { tool: shell, observe: true, fields: ["args"] });
// @ts-expect-error An observer's veto has no effect.
hooks.on("preToolCall", () => cancel("no"), { tool: shell, observe: true });
// @ts-expect-error The same later.
hooks.on("permissionCheck", async () => cancel("no"), { tool: shell, observe: true, fields: ["args"] });
// @ts-expect-error An observer's answer has no effect.
hooks.on("postToolCall", () => ({ result: "" }), { tool: shell, observe: true });
// @ts-expect-error An observer of some fields reads no others.
hooks.on("postToolCall", ({ result }) => void result, { tool: shell, observe: true, fields: ["args"] });
hooks.guard("preToolCall", ({ args }) => (args.command === "" ? cancel("no") : undefined), { tool: shell });
hooks.guard("permissionCheck", ({ args }) => (args.command === "" ? cancel("no") : undefined), {
  tool: shell,
  when: { args: (args) => "command" in args },
});
// @ts-expect-error -- the tool has no such argument
hooks.on("preToolCall", ({ args }) => void args.path, { tool: shell });
// @ts-expect-error -- a guard changes nothing
hooks.guard("preToolCall", () => ({ args: {} }), { tool: shell });
// @ts-expect-error -- a model call is of no tool
hooks.on("preGenerate", () => undefined, { tool: shell });
