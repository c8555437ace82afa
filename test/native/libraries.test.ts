import path from "node:path";
import { expect, test } from "vitest";
import { errorCodes, POINTS } from "../../src/index.js";
import { nativeAddon } from "../../src/native/addon.js";
import { writeScriptModel } from "../../src/testing/index.js";
import { openEngine, tempDir } from "../support/engine.js";
import { compileLibrary, prelude, recordRaw } from "../support/native.js";
import { contextErrors, rowOf } from "../support/schema.js";

/** As a hook for Entropic is written: its own copy of the names, and an allocator that the process has. */
const entropic = `
#include <stddef.h>
#include <string.h>
typedef enum { ENTROPIC_HOOK_PRE_GENERATE = 0, ENTROPIC_HOOK_POST_GENERATE = 1 } entropic_hook_point_t;
extern void *entropic_alloc(size_t size);

static char *text(const char *from) {
  char *copy = entropic_alloc(strlen(from) + 1);
  if (copy != NULL) strcpy(copy, from);
  return copy;
}

int entropic_hook(entropic_hook_point_t point, const char *context_json, char **modified_json, void *user_data) {
  (void)user_data;
  if (point == ENTROPIC_HOOK_POST_GENERATE) {
    *modified_json = text("rewritten by Entropic");
    return 0;
  }
  if (strstr(context_json, "forbidden") == NULL) return 0;
  *modified_json = text("Entropic says no");
  return 1;
}
`;

test("a hook compiled for Entropic, without any header of ours, changes and vetoes", async () => {
  const engine = await openEngine(["Hello."]);
  const library = await compileLibrary(entropic, { headers: false });
  engine.hooks.addNative({ library, symbol: "entropic_hook", point: "preGenerate" });
  engine.hooks.addNative({ library, symbol: "entropic_hook", point: "postGenerate" });
  expect((await engine.generate("hi")).text).toBe("rewritten by Entropic");
  expect((await engine.generate("the forbidden word")).cancel).toEqual({
    by: "entropic_hook",
    reason: "Entropic says no",
  });
});

test("a hook written against Entropic's header compiles and runs", async () => {
  const engine = await openEngine(["Hello."]);
  const library = await compileLibrary(`#include <entropic/types/hooks.h>
#include <string.h>
static int hook(entropic_hook_point_t point, const char *context, char **modified, void *data) {
  (void)context, (void)data;
  if (point != ENTROPIC_HOOK_POST_GENERATE) return 0;
  *modified = entropic_alloc(4);
  if (*modified != NULL) memcpy(*modified, "Bye", 4);
  return 0;
}
extern entropic_hook_callback_t const exported;
entropic_hook_callback_t const exported = hook;
int run(entropic_hook_point_t point, const char *context, char **modified, void *data);
int run(entropic_hook_point_t point, const char *context, char **modified, void *data) {
  return exported(point, context, modified, data);
}
`);
  engine.hooks.addNative({ library, symbol: "run", point: "postGenerate" });
  expect((await engine.generate("hi")).text).toBe("Bye");
});

const plugin = `${prelude}
static HOOK(shout) {
  UNUSED;
  *modified = lh_strdup((const char *)data);
  return 0;
}
static HOOK(veto) {
  UNUSED;
  if (strstr(context, "forbidden") == NULL) return 0;
  *modified = lh_strdup("the plug-in says no");
  return 1;
}
LH_API lh_status lh_plugin_register(lh_registry *registry) {
  lh_hook_options options = LH_HOOK_OPTIONS_INIT;
  uint64_t id;
  lh_status status;
  options.name = "shout";
  options.priority = 7;
  status = lh_hook_add(registry, LH_HOOK_POST_GENERATE, shout, (void *)"LOUD", &options, &id, NULL);
  if (status != LH_OK) return status;
  options.name = "veto";
  options.flags = LH_HOOK_GUARD;
  return lh_hook_add(registry, LH_HOOK_PRE_GENERATE, veto, NULL, &options, &id, NULL);
}
`;

test("a plug-in registers its own hooks, and they are removed as one", async () => {
  const engine = await openEngine(["Hello."]);
  const registration = engine.hooks.addNative({ library: await compileLibrary(plugin) });
  expect(registration.id).toBe(0);
  expect(
    engine.hooks.list().map(({ name, point, priority, guard, native }) => [name, point, priority, guard, native]),
  ).toEqual([
    ["veto", "preGenerate", 7, true, true],
    ["shout", "postGenerate", 7, false, true],
  ]);
  expect((await engine.generate("hi")).text).toBe("LOUD");
  expect((await engine.generate("forbidden")).cancel).toEqual({ by: "veto", reason: "the plug-in says no" });
  registration.dispose();
  expect([registration.removed, engine.hooks.list()]).toEqual([true, []]);
  expect((await engine.generate("forbidden")).text).toBe("Hello.");
});

test("a plug-in that refuses is an error with its status", async () => {
  const engine = await openEngine([], { models: {} });
  const library = await compileLibrary(`${prelude}
LH_API lh_status lh_plugin_register(lh_registry *registry) {
  (void)registry;
  return LH_ERR_VERSION_MISMATCH;
}
`);
  expect(() => engine.hooks.addNative({ library })).toThrow(expect.objectContaining({ code: "VERSION_MISMATCH" }));
});

test("a number that is not a point is UNKNOWN_HOOK_POINT to a plug-in", async () => {
  const engine = await openEngine([], { models: {} });
  const library = await compileLibrary(`${prelude}
static HOOK(idle) {
  UNUSED;
  return 0;
}
LH_API lh_status lh_plugin_register(lh_registry *registry) {
  uint64_t id;
  return lh_hook_add(registry, 999, idle, NULL, NULL, &id, NULL);
}
`);
  expect(() => engine.hooks.addNative({ library })).toThrow(expect.objectContaining({ code: "UNKNOWN_HOOK_POINT" }));
});

test("a library may add one function twice under two names", async () => {
  const engine = await openEngine(["Hello."]);
  const library = await compileLibrary(`${prelude}HOOK(hook) {\n  UNUSED;\n  return 0;\n}\n`);
  for (const name of ["one", "two"]) engine.hooks.addNative({ library, symbol: "hook", point: "postGenerate", name });
  const { decisions } = await engine.generate("hi");
  expect(decisions[0]?.hooks.map(({ name }) => name)).toEqual(["one", "two"]);
});

test("every answer is freed, taken or not", async () => {
  const before = nativeAddon().allocBalance();
  const engine = await openEngine([{ pieces: ["one", " two", " three"] }]);
  const library = await compileLibrary(`${prelude}
HOOK(text) {
  UNUSED;
  *modified = lh_strdup("text");
  return 0;
}
HOOK(reason) {
  UNUSED;
  *modified = lh_strdup(strstr(context, "forbidden") == NULL ? "no object" : "a reason");
  return strstr(context, "forbidden") != NULL;
}
HOOK(broken) {
  UNUSED;
  *modified = lh_strdup("\\xff");
  return 1;
}
`);
  for (const point of ["streamToken", "postGenerate", "contextBudget"] as const) {
    engine.hooks.addNative({ library, symbol: "text", point });
    engine.hooks.addNative({ library, symbol: "broken", point });
    engine.hooks.addNative({ library, symbol: "text", point, observe: true });
  }
  engine.hooks.addNative({ library, symbol: "reason", point: "preGenerate" });
  expect((await engine.generate("hi")).text).toBe("text");
  expect((await engine.generate("forbidden")).finishReason).toBe("cancelled");
  await engine.close();
  expect(nativeAddon().allocBalance()).toBe(before);
});

test("every error that the C ABI has is a code of TypeScript's, by the same name", () => {
  const names = Array.from({ length: 200 }, (_, status) => nativeAddon().statusName(status));
  const known: readonly string[] = errorCodes;
  expect(names.filter((name) => name !== "OK" && name !== "UNKNOWN" && !known.includes(name))).toEqual([]);
});

test("contexts are JSON whatever a model writes, a user asks and a file is called", async () => {
  const engine = await openEngine([], { models: {} });
  const nasty = 'say "\\" \u0001\u2028\n\t\ud83d\ude00 ';
  const file = path.join(await tempDir(), 'a "quoted"\n name.gguf');
  await writeScriptModel(file, { replies: [{ pieces: ["x", nasty, Uint8Array.of(0xc3), Uint8Array.of(0xff), "."] }] });
  const points = ["modelReady", "preGenerate", "streamToken", "postGenerate"] as const;
  const read = await Promise.all(points.map((point) => recordRaw(engine, point)));
  await engine.models.load("m", { path: file, threads: 1 });
  const { text } = await engine.generate(`${nasty}\ud800`);
  expect(text.startsWith(`x${nasty}\uFFFD`)).toBe(true);
  const contexts = await Promise.all(read.map((contextsOf) => contextsOf()));
  for (const [index, point] of points.entries())
    for (const context of contexts[index] ?? [])
      expect(contextErrors(rowOf(POINTS[point].number), context)).toEqual([]);
  const [ready, before, , after] = contexts.map(([first]) => first);
  expect([ready?.["path"], after?.["content"]]).toEqual([file, text]);
  expect(before?.["messages"]).toEqual([{ role: "user", content: `${nasty}\uFFFD` }]);
});

const hostPlugin = `${prelude}
static HOOK(shout) {
  UNUSED;
  *modified = ((const lh_host *)data)->copy_text("LOUD");
  return 0;
}
LH_EXPORT lh_status lh_plugin_init(const lh_host *host, lh_registry *registry);
lh_status lh_plugin_init(const lh_host *host, lh_registry *registry) {
  uint64_t id;
  if (host->abi_version < 1) return LH_ERR_VERSION_MISMATCH;
  return host->hook_add(registry, LH_HOOK_POST_GENERATE, shout, (void *)host, NULL, &id, NULL);
}
`;

test("a plug-in that needs no symbol of the process loads and works", async () => {
  const engine = await openEngine(["Hello."]);
  const library = await compileLibrary(hostPlugin, { linkFlags: ["-Wl,-z,defs"] });
  const registration = engine.hooks.addNative({ library });
  expect((await engine.generate("hi")).text).toBe("LOUD");
  registration.dispose();
  expect((await engine.generate("hi")).text).toBe("Hello.");
});

test("options for a plug-in's hooks are refused, not dropped", async () => {
  const engine = await openEngine([], { models: {} });
  const library = await compileLibrary(hostPlugin);
  for (const options of [{ name: "mine" }, { priority: 3 }, { deadlineMs: 5 }, { guard: true }, { observe: true }]) {
    const [key] = Object.keys(options);
    expect(() => engine.hooks.addNative({ library, ...options })).toThrow(TypeError);
    expect(() => engine.hooks.addNative({ library, ...options })).toThrow(`remove ${key}`);
  }
  expect(engine.hooks.list()).toEqual([]);
});

test("a plug-in that fails halfway keeps the hooks it has added", async () => {
  const engine = await openEngine(["Hello."]);
  const library = await compileLibrary(
    hostPlugin.replace("return host->hook_add", "host->hook_add").replace(/\}\n$/, "  return LH_ERR_CLOSED;\n}\n"),
  );
  expect(() => engine.hooks.addNative({ library })).toThrow(expect.objectContaining({ code: "CLOSED" }));
  expect(engine.hooks.list()).toMatchObject([{ point: "postGenerate", native: true }]);
  expect((await engine.generate("hi")).text).toBe("LOUD");
});
