import { expect, test } from "vitest";
import { POINTS, type AnyHookEvent, type Engine, type Tags } from "../../src/index.js";
import { openEngine, rejection } from "../support/engine.js";

const tags = { tenant: "acme", attempt: 2, urgent: true };

/** The tags of all events, by point and run. */
function seenIn(engine: Engine): { point: string; depth: number | null; tags: Tags | undefined }[] {
  const seen: { point: string; depth: number | null; tags: Tags | undefined }[] = [];
  for (const point of Object.keys(POINTS) as (keyof typeof POINTS)[]) {
    engine.hooks.on(point, ({ meta }: AnyHookEvent) => {
      if (meta.runId !== null) seen.push({ point, depth: meta.depth, tags: meta.tags });
    });
  }
  return seen;
}

test("every event of a call has the call's tags, and an untagged call has none", async () => {
  const engine = await openEngine(["Hello."]);
  const seen = seenIn(engine);
  await engine.generate("Hi", { tags });
  expect(seen.length).toBeGreaterThan(2);
  expect(seen.filter((one) => JSON.stringify(one.tags) !== JSON.stringify(tags))).toEqual([]);
  seen.length = 0;
  await engine.generate("Hi");
  expect(seen.filter((one) => one.tags !== undefined)).toEqual([]);
});

test("a run has the session's tags and its own, and so have the runs that it delegates to", async () => {
  const delegate = { toolCalls: [{ name: "delegate", args: { tier: "coder", task: "Code" } }] };
  const engine = await openEngine([delegate, "Coded.", "All done."]);
  const seen = seenIn(engine);
  const session = engine.session({
    tier: "lead",
    tiers: { lead: { system: "Lead." }, coder: { system: "Code.", description: "Codes." } },
    controlTools: ["delegate"],
    tags: { tenant: "acme", attempt: 1 },
  });
  await session.run("Go", { tags: { attempt: 2, urgent: true } });
  expect(new Set(seen.map(({ depth }) => depth))).toEqual(new Set([0, 1]));
  expect(seen.filter((one) => Object.entries(tags).some(([name, value]) => one.tags?.[name] !== value))).toEqual([]);
  seen.length = 0;
  await session.run("Again");
  expect(new Set(seen.map((one) => JSON.stringify(one.tags)))).toEqual(
    new Set([JSON.stringify({ tenant: "acme", attempt: 1 })]),
  );
});

test("`when` selects by tags: values, patterns and functions", async () => {
  const engine = await openEngine(["Hello."]);
  const called: string[] = [];
  const at = (name: string, when: object): void =>
    void engine.hooks.on("preGenerate", () => void called.push(name), { when });
  at("text", { "tags.tenant": "acme" });
  at("number", { "tags.attempt": 2 });
  at("boolean", { "tags.urgent": true });
  at("pattern", { "tags.tenant": /^ac/ });
  at("slow pattern", { "tags.tenant": /^A.*E$/i });
  at("function", { "tags.attempt": (value: unknown) => value === 2 });
  at("none", { "tags.tenant": null });
  const matching = ["text", "number", "boolean", "pattern", "slow pattern", "function"];
  await engine.generate("Hi", { tags });
  expect(called.splice(0)).toEqual(matching);
  await engine.generate("Hi", { tags: { tenant: "other", attempt: 3, urgent: false } });
  expect(called.splice(0)).toEqual([]);
  await engine.generate("Hi");
  expect(called.splice(0)).toEqual(["none"]);
});

test("what is not a tag is refused, with its place", async () => {
  const engine = await openEngine(["Never."]);
  const refused = async (wrong: unknown) =>
    String(await rejection((async () => engine.generate("Hi", { tags: wrong as Tags }))()));
  expect(await refused({ "a b": 1 })).toContain('"a b"');
  expect(await refused({ a: { b: 1 } })).toContain("tags.a must be");
  expect(await refused({ a: "x".repeat(513) })).toContain("tags.a must be");
  expect(await refused({ a: NaN })).toContain("tags.a must be");
  expect(await refused(Object.fromEntries(Array.from({ length: 33 }, (_, i) => [`t${i}`, i])))).toContain("32");
  expect(await refused("acme")).toContain("tags must be an object");
});
