import { expect, test } from "vitest";
import { script } from "../fixtures/child.js";
import { openEngine, scriptModel } from "../support/engine.js";

const shape = /^run-[0-9a-z]{26}$/;

test("ids of runs differ within an engine and between engines", async () => {
  const engines = await Promise.all([openEngine(["Hello."]), openEngine(["Hello."])]);
  const calls = engines.flatMap((engine) => Array.from({ length: 20 }, () => engine.generate("hi")));
  const ids = (await Promise.all(calls)).map(({ runId }) => runId);
  expect(ids.filter((id) => !shape.test(id))).toEqual([]);
  expect(new Set(ids).size).toBe(40);
});

test("a process that starts again gives out no id of the one before", async () => {
  const model = await scriptModel(["Hello."]);
  const code = `
    const engine = await createEngine({ model, ...onCpu });
    console.log((await engine.generate("hi")).runId);`;
  const ids = (await Promise.all([script(code, model), script(code, model)])).map(({ stdout }) => stdout.trim());
  expect(ids.filter((id) => !shape.test(id))).toEqual([]);
  expect(new Set(ids).size).toBe(2);
});
