// setTools() and setTiers(): other tools and tiers for a session that is open.
import { setTimeout } from "node:timers/promises";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { expect, test } from "vitest";
import { type Run, type Session, tool, type TierOptions } from "../../../src/index.js";
import { openEngine } from "../../support/engine.js";
import { gate } from "../../support/gate.js";
import { calls, resultTexts } from "../../support/sessions.js";

const says = (name: string, text: string) => tool({ name, run: () => text });

test("the next run has the tools that were set", async () => {
  const engine = await openEngine([calls("b"), "Done."]);
  const offered: string[][] = [];
  engine.hooks.on("preGenerate", ({ tools }) => void offered.push(tools.map(({ name }) => name)));
  const session = engine.session({ tools: [says("a", "old")] });
  session.setTools([says("b", "new")]);
  expect(resultTexts(await session.run("Go"))).toEqual(["new"]);
  expect(offered).toEqual([["b"], ["b"]]);
});

test("a run under way has them from its next iteration on; calls under way keep their tool", async () => {
  const engine = await openEngine([{ toolCalls: ["a", "b"].map((name) => ({ name, args: {} })) }, calls("b"), "Done."]);
  const offered: string[][] = [];
  engine.hooks.on("preGenerate", ({ tools }) => void offered.push(tools.map(({ name }) => name)));
  const set = gate();
  const session: Session = engine.session({
    tools: [
      tool({
        name: "a",
        run: () => {
          session.setTools([says("b", "new")]);
          set.open();
          return "set";
        },
      }),
      tool({
        name: "b",
        run: async () => {
          await set.passed;
          return "old";
        },
      }),
    ],
  });
  expect(resultTexts(await session.run("Go"))).toEqual(["set", "old", "new"]);
  expect(offered).toEqual([["a", "b"], ["b"], ["b"]]);
});

test("control tools stay, and the last set of several counts", async () => {
  const engine = await openEngine([calls("b"), calls("complete", { summary: "Well." })]);
  const session: Session = engine.session({ controlTools: ["complete"] });
  session.setTools([says("a", "first")]);
  session.setTools([says("b", "second")]);
  const result = await session.run("Go");
  expect([resultTexts(result)[0], result.text]).toEqual(["second", "Well."]);
});

test.each([
  ["two of a name", () => [says("a", ""), says("a", "")], TypeError],
  ["one without run", () => [{ name: "a" }], TypeError],
  ["no list", () => says("a", ""), TypeError],
  ["the name of a control tool", () => [says("complete", "")], /two tools are named "complete"/],
  ["none of the name that a tier lists", () => [says("b", "")], /tiers\.lead names the tool "a"/],
] as const)("wrong tools change nothing: %s", async (_, tools, error) => {
  const engine = await openEngine([calls("a"), "Done."]);
  const options = { controlTools: ["complete"], tier: "lead", tiers: { lead: { tools: ["a"] } } } as const;
  const session = engine.session({ tools: [says("a", "still here")], ...options });
  expect(() => session.setTools(tools() as never)).toThrow(error);
  expect(resultTexts(await session.run("Go"))).toEqual(["still here"]);
});

test("a fork keeps the tools that the session had when it was made", async () => {
  const engine = await openEngine([calls("a"), "Done."]);
  const session = engine.session({ tools: [says("a", "old")] });
  const before = session.fork();
  session.setTools([says("a", "new")]);
  const after = session.fork();
  session.setTools([]);
  expect(resultTexts(await before.run("Go"))).toEqual(["old"]);
  expect(resultTexts(await after.run("Go"))).toEqual(["new"]);
  expect((await session.run("Go")).toolCalls).toEqual([]);
});

test("a fork that is made before a change holds has the change", async () => {
  const engine = await openEngine([calls("a"), calls("a"), "Done."]);
  let fork: Session | undefined;
  const session: Session = engine.session({
    tools: [
      tool({
        name: "a",
        run: () => {
          session.setTools([says("a", "new")]);
          fork = session.fork();
          return "old";
        },
      }),
    ],
  });
  expect(resultTexts(await session.run("Go"))).toEqual(["old", "new"]);
  const { toolCalls } = (await fork?.run("Go on")) ?? {};
  expect(toolCalls).toMatchObject([{ result: "new" }]);
});

setFlagsFromString("--expose-gc");
const gc = runInNewContext("gc") as () => void;

/** Resolves when the garbage collector has taken the value. */
async function collected(ref: WeakRef<object>): Promise<boolean> {
  for (let i = 0; i < 200; i++) {
    await setTimeout(5); // a value that was looked at stays until the turn of the event loop has ended
    gc();
    if (ref.deref() === undefined) return true;
  }
  return false;
}

test("tools that nothing uses any more are released", async () => {
  const engine = await openEngine([]);
  const open = (): [WeakRef<object>, Session] => {
    const run = (): string => "";
    return [new WeakRef<object>(run), engine.session({ tools: [{ name: "a", run }] })];
  };
  const [first, session] = open();
  const fork = session.fork();
  session.setTools([]);
  await setTimeout(20);
  gc();
  expect(first.deref() === undefined).toBe(false); // the fork has it
  await fork.close();
  expect(await collected(first)).toBe(true);
});

const tiers: Readonly<Record<string, TierOptions>> = { lead: { system: "You lead." }, coder: { system: "You code." } };

test("the next model call has the tiers that were set", async () => {
  const engine = await openEngine([calls("a"), "Done."]);
  const systems: (string | undefined)[] = [];
  engine.hooks.on("preGenerate", ({ messages }) => void systems.push(messages[0]?.content));
  const session: Session = engine.session({
    tools: [
      tool({
        name: "a",
        run: () => {
          session.setTiers({ lead: { system: "You follow.", tools: [] } });
          return "set";
        },
      }),
    ],
    tiers,
    tier: "lead",
  });
  expect(resultTexts(await session.run("Go"))).toEqual(["set"]);
  expect(systems).toEqual(["You lead.", "You follow."]);
});

test("the rules of the tiers that were set hold", async () => {
  const engine = await openEngine([calls("a"), "Done.", calls("a"), "Done."]);
  const session = engine.session({ tools: [says("a", "ran")], tiers, tier: "lead" });
  session.setTiers({ lead: { permissions: [{ deny: "a" }] } });
  expect(resultTexts(await session.run("Go"))).toEqual(["denied: the rule deny a"]);
  session.setTiers({ lead: {} });
  expect(resultTexts(await session.run("Go"))).toEqual(["ran"]);
});

test("a tier that the session is, or that a conversation has, cannot go", async () => {
  const engine = await openEngine([calls("delegate", { tier: "coder", task: "Write" }), "Written.", "Done."]);
  const session = engine.session({ tiers, tier: "lead", controlTools: ["delegate"] });
  expect(() => session.setTiers({ coder: {} })).toThrow(
    expect.objectContaining({
      code: "INVALID_ARGUMENT",
      message: expect.stringMatching(/unknown tier lead/) as string,
    }),
  );
  await session.run("Go");
  expect(() => session.setTiers({ lead: {}, writer: {} })).toThrow(
    expect.objectContaining({
      code: "INVALID_ARGUMENT",
      message: expect.stringMatching(/the conversation coder-1 needs the tier: unknown tier coder/) as string,
    }),
  );
  session.setTiers({ ...tiers, writer: {} });
});

test("if the run has come to need a tier meanwhile, nothing changes, and error hooks are called", async () => {
  const engine = await openEngine([calls("a"), "Done."]);
  const errors: string[] = [];
  engine.hooks.on("error", ({ code, message }) => void errors.push(`${code} ${message}`));
  const session: Session = engine.session({
    tools: [
      tool({
        name: "a",
        trusted: true,
        run: (_, { directive }) => {
          directive("tier_change", { tier: "coder" });
          session.setTiers({ lead: {} });
          return "changed";
        },
      }),
    ],
    tiers,
    tier: "lead",
  });
  const tierOf: (string | null)[] = [];
  engine.hooks.on("preGenerate", ({ tier }) => void tierOf.push(tier));
  expect((await session.run("Go")).finishReason).toBe("complete");
  expect(tierOf).toEqual(["lead", "coder"]);
  expect(errors).toEqual([
    expect.stringMatching(/^INVALID_ARGUMENT the conversation needs the tier: unknown tier coder/),
  ]);
});

test("answers remembered for a tier that is gone are forgotten, and the session can be saved and forked", async () => {
  const engine = await openEngine([calls("a"), "Done."]);
  engine.hooks.on("permissionCheck", () => ({ permission: "allow", remember: "tool" }));
  const session = engine.session({
    tools: [tool({ name: "a", trusted: true, run: (_, { directive }) => directive("tier_change", { tier: "lead" }) })],
    permissions: [{ ask: "*" }],
    tiers,
    tier: "coder",
  });
  await session.run("Go");
  session.setTiers({ lead: {} }); // the answer was given for coder
  expect(session.fork().history()).toEqual(session.history());
});

test.each([
  [{ lead: { temprature: 1 } }, /temprature/],
  [{ lead: { tools: ["absent"] } }, /tiers\.lead names the tool "absent"/],
  [[], /tiers/],
  [null, /tiers/],
])("wrong tiers change nothing: %j", async (wrong, message) => {
  const engine = await openEngine([]);
  const session = engine.session({ tiers, tier: "lead" });
  expect(() => session.setTiers(wrong as never)).toThrow(message);
});

test("a closed session has no other tools", async () => {
  const engine = await openEngine([]);
  const session = engine.session();
  await session.close();
  for (const set of [() => session.setTools([]), () => session.setTiers({})])
    expect(set).toThrow(expect.objectContaining({ code: "NOT_FOUND" }));
});

test("a cancelled run leaves a change for the next run", async () => {
  const engine = await openEngine([calls("a"), "Done.", calls("b"), "Done."]);
  const session: Session = engine.session({
    tools: [
      tool({
        name: "a",
        run: () => {
          session.setTools([says("b", "new")]);
          run.cancel();
          return new Promise(() => undefined);
        },
      }),
    ],
  });
  const run: Run = session.run("Go");
  expect((await run).finishReason).toBe("cancelled");
  const offered: string[][] = [];
  engine.hooks.on("preGenerate", ({ tools }) => void offered.push(tools.map(({ name }) => name)));
  await session.run("Again");
  expect(offered[0]).toEqual(["b"]);
});
