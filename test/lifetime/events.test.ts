import { expect, test } from "vitest";
import { openEngine, scriptModel } from "../support/engine.js";

/** A signal that keeps the JavaScript thread busy for a moment while a call is being started. */
function slowSignal(): AbortSignal {
  const { signal } = new AbortController();
  const add = signal.addEventListener.bind(signal);
  const slowly = (...args: Parameters<typeof add>): void => {
    const end = performance.now() + 50;
    while (performance.now() < end);
    add(...args);
  };
  return Object.defineProperty(signal, "addEventListener", { value: slowly });
}

test("an iteration that begins at once gets every token, however quick the model and busy the process", async () => {
  const engine = await openEngine([{ pieces: ["One", " two", " three"] }]);
  const tokens: string[] = [];
  for await (const event of engine.generate("hi", { raw: true, signal: slowSignal() })) {
    if (event.type === "token") tokens.push(event.text);
  }
  expect(tokens).toEqual(["One", " two", " three"]);
});

test("onProgress reports a load to its end, however quick the load and busy the process", async () => {
  const engine = await openEngine([], { models: {} });
  const progress: number[] = [];
  const path = await scriptModel(["Hello."]);
  const onProgress = (part: number): void => void progress.push(part);
  await engine.models.load("m", { path, threads: 1 }, { signal: slowSignal(), onProgress });
  expect(progress.at(-1)).toBe(1);
});
