// Sentences of the documentation that no other test holds.
import { readFile } from "node:fs/promises";
import { expect, test } from "vitest";
import { tool } from "../src/index.js";
import { openEngine } from "./support/engine.js";

const page = (name: string): Promise<string> => readFile(`docs/${name}.md`, "utf8");

test("toolCalls of a result has the calls of that run; those of delegated runs are events with their depth", async () => {
  const look = tool({ name: "look", parameters: { type: "object", properties: {} }, run: () => "seen" });
  const delegates = { toolCalls: [{ name: "delegate", args: { tier: "coder", task: "Look." } }] };
  const looks = { toolCalls: [{ name: "look", args: {} }] };
  const scripts = [
    { when: "You are lead.", replies: [delegates, "Done."] },
    { when: "You are coder.", replies: [looks, "Looked."] },
  ];
  const engine = await openEngine({ replies: [], scripts });
  const tiers = {
    lead: { system: "You are lead.", tools: ["delegate"] },
    coder: { system: "You are coder.", tools: ["look"] },
  };
  const session = engine.session({ tier: "lead", tiers, tools: [look], controlTools: ["delegate"] });
  const run = session.run("Go.");
  const told: unknown[] = [];
  for await (const event of run) if (event.type === "toolCall") told.push([event.depth, event.name]);
  const { toolCalls } = await run;
  expect(toolCalls.map(({ name }) => name)).toEqual(["delegate"]);
  expect(told).toEqual([
    [0, "delegate"],
    [1, "look"],
  ]);
  expect(await page("agent")).toMatch(/`toolCalls` of a result has the calls of that run/);
});

test("list() says what is registered, and stats() what it has done", async () => {
  const engine = await openEngine(["Hello."]);
  engine.hooks.on("preGenerate", () => undefined, { name: "mine" });
  await engine.generate("Hi");
  expect(engine.hooks.list()[0]).not.toHaveProperty("calls");
  expect(engine.hooks.stats()).toMatchObject([{ name: "mine", calls: 1, cancels: 0, failures: 0 }]);
  expect(await page("hooks")).toMatch(/`engine\.hooks\.stats\(\)` what each has done: counts of calls/);
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
  expect(await page("results")).toContain('"runStarted", in C "run_started"');
});

test("the text for the same call twice in one message is in the table", async () => {
  // sessions-limits.test.ts has the run that is told so
  expect(await page("agent")).toContain("| `already called with the same arguments in this message` ");
});
