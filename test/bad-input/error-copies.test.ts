// Errors of two copies of the package in one process: a bundle has one, and so may a dependency.
import { expect, test, vi } from "vitest";
import { LlamaHooksError } from "../../src/index.js";

test("isInstance() knows errors of every copy of the package, and nothing else", async () => {
  vi.resetModules();
  const other = (await import("../../src/base/errors.js")).LlamaHooksError;
  expect(other).not.toBe(LlamaHooksError);
  const theirs: unknown = new other("BUSY", "theirs");
  expect(theirs instanceof LlamaHooksError).toBe(false);
  expect(LlamaHooksError.isInstance(theirs)).toBe(true);
  expect(other.isInstance(new LlamaHooksError("BUSY", "ours"))).toBe(true);
  class Special extends LlamaHooksError {}
  expect(other.isInstance(new Special("BUSY", "a subclass"))).toBe(true);
  const lookalike = Object.assign(new Error("BUSY"), { name: "LlamaHooksError", code: "BUSY" });
  const hostile = new Proxy({}, { get: () => expect.unreachable() });
  for (const value of [lookalike, new Error("no"), new TypeError("no"), "BUSY", 1, null, undefined, {}, hostile])
    expect(LlamaHooksError.isInstance(value)).toBe(false);
  // The mark is not a field of the error.
  expect(Object.keys(new LlamaHooksError("BUSY", "ours"))).toEqual(["name", "code"]);
});
