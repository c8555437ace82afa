import { expect, test } from "vitest";
import { cli, jsonLines, quiet } from "../fixtures/child.js";
import { scriptModel } from "../support/engine.js";
import { compileLibrary } from "../support/native.js";

/** As it stands in a project that has Entropic's header only: no header, no library of this package. */
const entropic = `
#include <stdlib.h>
#include <string.h>

typedef enum {
  ENTROPIC_HOOK_PRE_GENERATE = 0,
  ENTROPIC_HOOK_POST_GENERATE = 1
} entropic_hook_point_t;
typedef int (*entropic_hook_callback_t)(entropic_hook_point_t, const char *, char **, void *);
extern void *entropic_alloc(size_t size);

static char *text(const char *from) {
  char *copy = entropic_alloc(strlen(from) + 1);
  if (copy != NULL) strcpy(copy, from);
  return copy;
}

int redact(entropic_hook_point_t point, const char *context, char **modified, void *data) {
  (void)data;
  if (point == ENTROPIC_HOOK_POST_GENERATE && strstr(context, "Hello there.") != NULL) *modified = text("[redacted]");
  return 0;
}

int refuse(entropic_hook_point_t point, const char *context, char **modified, void *data) {
  (void)context, (void)data;
  if (point == ENTROPIC_HOOK_PRE_GENERATE) *modified = text("closed for today");
  return 1;
}

entropic_hook_callback_t callbacks[] = {redact, refuse};
`;

async function args(...native: string[]): Promise<string[]> {
  const library = await compileLibrary(entropic, { headers: false });
  const hooks = native.flatMap((hook) => ["--native", `${library}:${hook}`]);
  return ["run", "--model", await scriptModel(["Hello there."]), "--prompt", "hi", ...hooks];
}

test("a C hook written for Entropic changes what the model said", async () => {
  const line = await args("redact@postGenerate");
  const { stdout, stderr, code } = await cli(...line, "--trace");
  expect(code).toBe(0);
  expect(stdout).toContain("[redacted]\n");
  expect(stderr).toMatch(/postGenerate +redact → changed content/);
  const { stdout: json, ...end } = await cli(...line, "--json");
  expect(end).toEqual(quiet(0));
  expect(jsonLines(json).at(-1)).toMatchObject({ finishReason: "complete", text: "[redacted]" });
});

test("a C hook written for Entropic refuses to generate, and its reason is the run's", async () => {
  const line = await args("refuse@preGenerate");
  const { stdout, stderr, code } = await cli(...line);
  expect([code, stdout]).toEqual([0, ""]);
  expect(stderr).toContain("halted by refuse: closed for today");
  const { stdout: json } = await cli(...line, "--json");
  expect(jsonLines(json).at(-1)).toMatchObject({
    finishReason: "halted",
    halt: { by: "refuse", reason: "closed for today" },
  });
});

test.each(["postGenerate", "POST_GENERATE", "ON_POST_GENERATE", "1"])(
  "--native takes %s for the point, and the trace names it one way",
  async (point) => {
    const { code, stdout, stderr } = await cli(...(await args(`redact@${point}`)), "--trace");
    expect([code, stdout]).toEqual([0, "[redacted]\n"]);
    expect(stderr).toMatch(/postGenerate +redact → changed content/);
  },
);

test("C hooks and hooks in JavaScript run in one order", async () => {
  const line = await args("redact@postGenerate");
  const { stdout, code } = await cli(...line, "--hooks", "test/fixtures/upper-hooks.mjs", "--json");
  expect(code).toBe(0);
  expect(jsonLines(stdout).at(-1)).toMatchObject({ text: "HELLO THERE.!" });
});

test("a symbol that is not there fails with its code and 1, a library that is not there too", async () => {
  const line = await args("missing@postGenerate");
  const symbol = await cli(...line);
  expect([symbol.code, symbol.stdout]).toEqual([1, ""]);
  expect(symbol.stderr).toMatch(/missing.*\(SYMBOL_NOT_FOUND\)/);
  const library = await cli(...line.slice(0, -1), "./nowhere.so:redact@postGenerate");
  expect([library.code, library.stdout]).toEqual([1, ""]);
  expect(library.stderr).toMatch(/nowhere\.so.*\(LIBRARY_NOT_LOADED\)/);
});
