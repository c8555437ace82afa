// C hooks that answer later, from a thread of their own (lh_call_defer), in a library compiled for the test.
import { readFile } from "node:fs/promises";
import path from "node:path";
import { expect, test } from "vitest";
import { openEngine, tempDir } from "../support/engine.js";
import { compileLibrary, prelude } from "../support/native.js";

/** `later` answers from a separate thread; `never` leaves its call open, and writes down how the wait ended. */
const library = (notes = "/dev/null"): Promise<string> =>
  compileLibrary(`#define _POSIX_C_SOURCE 200809L
#include <pthread.h>
${prelude}
static void *answer(void *pending) {
  lh_pending_finish(pending, 0, lh_strdup("{\\"response\\": \\"from a thread\\"}"));
  return NULL;
}
HOOK(later) {
  lh_pending *pending = NULL;
  pthread_t thread;
  UNUSED;
  if (lh_call_defer(NULL, NULL, &pending) != LH_OK) return 1;
  if (pthread_create(&thread, NULL, answer, pending) != 0) answer(pending);
  else pthread_detach(thread);
  return 0;
}
static void over(lh_status status, void *user_data) {
  FILE *file = fopen(${JSON.stringify(notes)}, "a");
  lh_pending **pending = user_data;
  if (file != NULL) {
    fprintf(file, "%s\\n", lh_status_name(status));
    fclose(file);
  }
  lh_pending_finish(*pending, 0, lh_strdup("too late"));
  free(pending);
}
HOOK(never) {
  lh_pending **pending = malloc(sizeof *pending);
  UNUSED;
  if (pending == NULL || lh_call_defer(over, pending, pending) != LH_OK) return 1;
  return 0;
}
`);

test("a C hook answers from a separate thread, and the generation waits for it", async () => {
  const engine = await openEngine(["Hello."]);
  engine.hooks.addNative({ library: await library(), symbol: "later", point: "preGenerate", name: "later" });
  const { text, decisions } = await engine.generate("hi");
  expect(text).toBe("from a thread");
  expect(decisions[0]?.hooks).toMatchObject([{ name: "later", outcome: "modified", fields: ["response"] }]);
});

test("the deadline of a C hook that answers later is kept: it has failed, and the generation continues", async () => {
  const engine = await openEngine(["Hello."]);
  engine.hooks.addNative({ library: await library(), symbol: "never", point: "preGenerate", deadlineMs: 50 });
  const { text, decisions } = await engine.generate("hi");
  expect(text).toBe("Hello.");
  expect(decisions[0]?.hooks).toMatchObject([{ outcome: "failed", error: { code: "HOOK_TIMEOUT" } }]);
});

test("an abort, and closing the engine, end the wait for a C hook that never answers", async () => {
  const notes = path.join(await tempDir(), "notes");
  const engine = await openEngine(["Hello."]);
  engine.hooks.addNative({ library: await library(notes), symbol: "never", point: "preGenerate" });
  const asked = (): Promise<void> =>
    new Promise((resolve) => void engine.hooks.on("preGenerate", () => resolve(), { priority: -1 }));
  const stop = new AbortController();
  let waits = asked();
  const aborted = Promise.resolve(engine.generate("hi", { signal: stop.signal }));
  await waits;
  stop.abort("enough");
  expect((await aborted).cancel).toEqual({ by: "signal", reason: "enough" });
  waits = asked();
  const closed = Promise.resolve(engine.generate("hi"));
  await waits;
  await engine.close();
  expect((await closed).finishReason).toBe("cancelled");
  expect(await readFile(notes, "utf8")).toBe("CANCELLED\nCLOSED\n");
});
