// What a loader that refuses the addon is told as.
import { expect, test } from "vitest";
import { quiet, script } from "./fixtures/child.js";

/** A process whose loader says this of every addon. */
const refused = (words: string): string => `
process.dlopen = () => { throw Object.assign(new Error(${JSON.stringify(words)}), { code: "ERR_DLOPEN_FAILED" }); };
try { await createEngine(onCpu); } catch ({ code, message, cause }) { console.log(code + "\\n" + message + "\\n" + cause.message); }
`;

test.each([
  "libllama.so: failed to map segment from shared object",
  "/a/llama_hooks.node: cannot map zero-fill pages: Cannot allocate memory",
])("%s: there is not enough memory, and nobody is told to build anything", async (words) => {
  const { stdout, ...end } = await script(refused(words));
  expect(end).toEqual(quiet(0));
  const [code, message, cause] = stdout.trimEnd().split("\n");
  expect([code, cause]).toEqual(["INSUFFICIENT_MEMORY", words]);
  expect(message).toContain("not enough memory");
});

test.each([
  "/a/llama_hooks.node: cannot open shared object file: No such file or directory",
  "/a/llama_hooks.node: cannot allocate memory in static TLS block",
])("%s: the addon is not the one for here", async (words) => {
  const { stdout, ...end } = await script(refused(words));
  expect(end).toEqual(quiet(0));
  const [code, message, cause] = stdout.trimEnd().split("\n");
  expect([code, cause]).toEqual(["ADDON_NOT_LOADED", words]);
  expect(message).toContain(`${words}. Reinstall it: `);
});
