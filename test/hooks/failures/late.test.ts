// A hook whose answer came late, and that fails later.
import { expect, test } from "vitest";
import { openEngine } from "../../support/engine.js";
import { compileLibrary, prelude } from "../../support/native.js";
import { collectWarnings } from "./warnings.js";

/** Its first answer comes after its deadline, and the others are no answers. */
const library = (): Promise<string> =>
  compileLibrary(`#define _POSIX_C_SOURCE 200809L
#include <time.h>
${prelude}
HOOK(slow) {
  static int calls;
  UNUSED;
  if (calls++ == 0) {
    struct timespec time = {0, 50000000};
    nanosleep(&time, NULL);
    *modified = lh_strdup("{\\"response\\": \\"late\\"}");
  } else {
    *modified = lh_strdup("no answer");
  }
  return 0;
}
`);

test("a late answer that counts is warned about, and the hook's first failure after it, too", async () => {
  const engine = await openEngine(["Hello."]);
  const warnings = collectWarnings();
  engine.hooks.addNative({
    library: await library(),
    symbol: "slow",
    point: "preGenerate",
    name: "slow",
    deadlineMs: 5,
  });
  expect((await engine.generate("hi")).text).toBe("late");
  for (let i = 0; i < 2; i++) expect((await engine.generate("hi")).text).toBe("Hello.");
  expect((await warnings.settled()).map(({ code }) => code)).toEqual(["HOOK_TIMEOUT", "HOOK_BAD_ANSWER"]);
});
