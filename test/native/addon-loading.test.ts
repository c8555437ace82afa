// The error of `createEngine()` if the loader refuses the addon.
import { expect, test } from "vitest";
import { quiet, script } from "../fixtures/child.js";

/** A process whose loader says this of every addon. */
const refused = (words: string): string => `
process.dlopen = () => { throw Object.assign(new Error(${JSON.stringify(words)}), { code: "ERR_DLOPEN_FAILED" }); };
try { await createEngine(onCpu); } catch ({ code, message, cause }) { console.log(code + "\\n" + message + "\\n" + cause.message); }
`;

const noRoom = "not enough memory";
const otherOne = "{words}. Reinstall it: ";

test.each([
  ["INSUFFICIENT_MEMORY", noRoom, "libllama.so: failed to map segment from shared object"],
  ["INSUFFICIENT_MEMORY", noRoom, "/a/llama_hooks.node: cannot map zero-fill pages: Cannot allocate memory"],
  ["ADDON_NOT_LOADED", otherOne, "/a/llama_hooks.node: cannot open shared object file: No such file or directory"],
  ["ADDON_NOT_LOADED", otherOne, "/a/llama_hooks.node: cannot allocate memory in static TLS block"],
])("%s, %s: %s", async (wanted, text, words) => {
  const { stdout, ...end } = await script(refused(words));
  expect(end).toEqual(quiet(0));
  const [code, message, cause] = stdout.trimEnd().split("\n");
  expect([code, cause]).toEqual([wanted, words]);
  expect(message).toContain(text.replace("{words}", words));
});
