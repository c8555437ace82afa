import { expect, onTestFinished, test } from "vitest";
import { cancel, defineHooks, firesIn, pointNames, remote, warnOfUnfired } from "../../src/index.js";
import { recordHooks } from "../../src/testing/index.js";
import { openEngine } from "../support/engine.js";
import { compileLibrary, prelude } from "../support/native.js";
import { localProvider } from "../support/remote/local-provider.js";

const refused = expect.objectContaining({ code: "POINT_NOT_FIRED" }) as unknown as Error;

test("a hook or guard at a point that never fires for the session is refused: it would protect nothing", async () => {
  const engine = await openEngine(["Hello."]);
  const { hooks } = engine.session();
  expect(() => hooks.on("modelReady", () => undefined)).toThrow(refused);
  expect(() => hooks.guard("modelLoad", () => cancel("never"))).toThrow(refused);
  expect(() => hooks.on("modelLoad", () => undefined, { failClosed: true })).toThrow(refused);
  expect(hooks.list()).toEqual([]);
});

test("a set with such a point adds none of its hooks, and a native hook is refused too", async () => {
  const engine = await openEngine(["Hello."]);
  const { hooks } = engine.session();
  expect(() => hooks.use(defineHooks("audit", { preGenerate() {}, modelLoad() {} }))).toThrow(refused);
  const library = await compileLibrary(`${prelude}HOOK(hook) {\n  UNUSED;\n  return 0;\n}\n`);
  expect(() => hooks.addNative({ library, symbol: "hook", point: "modelLoad" })).toThrow(refused);
  expect(hooks.list()).toEqual([]);
});

test("recordHooks() takes notes at every point", async () => {
  const engine = await openEngine(["Hello."]);
  recordHooks(engine);
  expect(engine.hooks.list().map(({ point }) => point)).toEqual(pointNames);
});

/** The process warnings about hooks that are never called, from now on. */
function unfired(): string[] {
  const messages: string[] = [];
  const listener = (warning: Error & { code?: string }): void => {
    if (warning.code === "POINT_NOT_FIRED") messages.push(warning.message);
  };
  process.on("warning", listener);
  onTestFinished(() => void process.off("warning", listener));
  return messages;
}

/** The sentence of such a warning, without the lines in files of tests. */
function sentence(warning: string | undefined): string {
  return (warning ?? "").replace(
    /, registered at (?:\S*engine\.ts:\d+ \(defined at )?\S*not-fired\.test\.ts:\d+\)?,/,
    " (here)",
  );
}

test("an engine that makes single model calls names the hooks that these never call, once", async () => {
  const warnings = unfired();
  const hooks = [
    defineHooks("retrieval", { contextAssemble() {}, userMessage() {} }),
    defineHooks("guards", { preToolCall: () => cancel("never") }, { guard: true }),
    defineHooks("both", { preGenerate() {}, preToolCall() {} }),
    defineHooks("loads", { modelUnload() {}, vramPressure() {}, adapterSwap() {} }),
  ];
  const engine = await openEngine(["Hello."], { hooks });
  await engine.generate("Hello");
  await engine.generate("Hello");
  const why =
    "(here) is never called by single model calls: such points fire in runs of sessions. Open one (engine.session()), or remove the hook.";
  expect(warnings.map(sentence)).toEqual([
    `The hook "guards" at preToolCall ${why}`,
    `The hook "retrieval" at contextAssemble, userMessage ${why}`,
  ]);
  engine.hooks.on("loopEnd", () => undefined, { name: "later" });
  const library = await compileLibrary(`${prelude}HOOK(hook) {\n  UNUSED;\n  return 0;\n}\n`);
  engine.hooks.addNative({ library, symbol: "hook", point: "directive", name: "in C" });
  await engine.generate("Hello");
  expect(warnings.slice(2).map(sentence).toSorted()).toEqual([
    `The hook "in C" at directive ${why}`,
    `The hook "later" at loopEnd ${why}`,
  ]);
});

test("an engine with sessions, a call of its own hooks, and one that is closed name nothing", async () => {
  const warnings = unfired();
  const engine = await openEngine(["Hello."], { hooks: [defineHooks("agent", { loopStart() {} })] });
  await engine.session().run("Hello");
  await engine.generate("Hello");
  const plain = await openEngine(["Hello."], { hooks: [defineHooks("calls", { preGenerate() {}, error() {} })] });
  await plain.generate("Hello", { hooks: defineHooks("own", { postGenerate() {} }) });
  recordHooks(plain);
  await plain.generate("Hello");
  await plain.close();
  plain.generate("Hello").catch(() => undefined);
  expect(warnings).toEqual([]);
});

test("an engine with only remote models names hooks at points of memory", async () => {
  const warnings = unfired();
  const inner = await openEngine(["Hello."]);
  const hooks = [defineHooks("memory", { vramPressure() {} }), defineHooks("calls", { preGenerate() {} })];
  const far = remote(localProvider(inner, "default"));
  const engine = await openEngine([], { models: { far: { provider: far } }, hooks });
  await engine.session().run("Hello");
  expect(warnings.map(sentence)).toEqual([
    'The hook "memory" at vramPressure (here) is never called because all models of the engine are remote. Load one that runs here, or remove the hook.',
  ]);
});

test("a server names them before its first request, and the engine does not name them again", async () => {
  const warnings = unfired();
  const hooks = [
    defineHooks("guards", { preToolCall: () => cancel("never"), preGenerate() {} }),
    defineHooks("mine", { loopStart() {}, preGenerate() {} }),
    defineHooks("calls", { preGenerate() {} }),
  ];
  const engine = await openEngine(["Hello."], { hooks });
  warnOfUnfired(engine.hooks, "generation", (name) => name !== "mine");
  await new Promise((resolve) => setImmediate(resolve)); // warnings come in a turn of their own
  expect(warnings).toHaveLength(1);
  warnOfUnfired(engine.hooks, "run");
  await engine.generate("Hello");
  expect(warnings).toEqual([expect.stringMatching(/^The hook "guards" at preToolCall, registered at .*:\d+/)]);
});

test("firesIn() says what fires where", () => {
  const never = pointNames.filter((point) => !firesIn("generation", point) && firesIn("run", point));
  expect(never).toContain("preToolCall");
  expect(never).not.toContain("preGenerate");
  expect(pointNames.filter((point) => !firesIn("run", point)).toSorted()).toEqual(
    ["modelLoad", "modelReady", "modelUnload", "vramPressure"].toSorted(),
  );
});
