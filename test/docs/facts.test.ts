// Sentences of the documentation that no other test holds.
import { readFile } from "node:fs/promises";
import { expect, test } from "vitest";
import { pointNames } from "../../src/index.js";
import { openEngine } from "../support/engine.js";

/** A page, wherever its lines are wrapped. */
const page = async (name: string): Promise<string> =>
  (await readFile(`docs/${name}.md`, "utf8")).replaceAll(/\s+/g, " ");

test("list() says what is registered, and stats() what it has done", async () => {
  const engine = await openEngine(["Hello."]);
  engine.hooks.on("preGenerate", () => undefined, { name: "mine" });
  await engine.generate("Hi");
  expect(engine.hooks.list()[0]).not.toHaveProperty("calls");
  expect(engine.hooks.stats()).toMatchObject([{ name: "mine", calls: 1, cancels: 0, failures: 0 }]);
  expect(await page("guides/hooks-in-typescript")).toMatch(
    /`engine\.hooks\.stats\(\)` returns what each hook has done: counts of calls/,
  );
});

test("the page of results has each name of an event as TypeScript and as C have it", async () => {
  const engine = await openEngine(["Hello."]);
  const events: string[] = [];
  const trace = engine.trace({ points: [] });
  const reading = (async () => {
    for await (const event of trace) if (event.type === "lifecycle") events.push(event.event);
  })();
  await engine.session().run("Hi");
  await engine.close();
  await reading;
  expect(events).toContain("runStarted");
  expect(await page("reference/results")).toContain('"runStarted", in C "run_started"');
});

test("the text for the same call twice in one message is in the table", async () => {
  // sessions/limits.test.ts has the run whose model learns so
  expect(await page("concepts/tools")).toContain("| `already called with the same arguments in this message` ");
});

test("the README says how many points there are", async () => {
  const readme = await readFile("README.md", "utf8");
  const counts = [...readme.matchAll(/\b(\d+) points\b/g)].map(([, count]) => Number(count));
  expect(new Set(counts)).toEqual(new Set([pointNames.length]));
});
