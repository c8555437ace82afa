import { expect, test } from "vitest";
import { cancel, type PointName } from "../src/index.js";
import { calls } from "./support/occasions.js";
import { call, child, concluded, decided, end, leave, loop, told, toDelegate } from "./support/order-parts.js";
import { hookAt, type Occasion, order, type Ordered } from "./support/orders.js";
import { clock, told as toldIn } from "./support/sessions.js";

/** Points of the run of a tier. */
const of = (depth: number, tier: string, ...names: readonly (readonly PointName[])[]): string[] =>
  names.flat().map((name) => `${name} ${depth} ${tier}`);
const lead = (...names: readonly (readonly PointName[])[]): string[] => of(0, "lead", ...names);
const coder = (...names: readonly (readonly PointName[])[]): string[] => of(1, "coder", ...names);

const delegates = (tier: string) => calls("delegate", { tier, task: "Write it." });
const tiers = { lead: { system: "You lead." }, coder: { system: "You write code." }, tester: { system: "You test." } };

/** The lead has the coder work, who asks for the time. */
const work: Occasion = {
  replies: ["Nobody."],
  scripts: [
    { when: "You write code.", replies: [calls("clock"), "It is written."] },
    { when: "You test.", replies: ["It is tested."] },
    { when: "You lead.", replies: [delegates("coder"), "Done."] },
  ],
  session: { tools: [clock], controlTools: ["delegate"], tier: "lead", tiers },
};
/** In the child. */
const enter = [...loop, "loopIteration", "bootstrap"] as const;
const use = [...call, "stateChange", ...decided, ...told, "stateChange", "iterationEnd"] as const;
const finish = ["loopIteration", ...call, ...end] as const;
/** In the lead: the result is told, and it answers. */
const goesOn = [...concluded, "stateChange", "iterationEnd", "loopIteration", ...call, ...end] as const;
const failed = ["error", ...goesOn] as const;

const toldOf = ({ result }: Ordered): string[] => (result === undefined ? [] : toldIn(result));

test("a run that delegates, and the run of the tier", async () => {
  const whole = await order(work);
  expect(whole.whose).toEqual([...lead(toDelegate), ...coder(enter, use, finish), ...lead(goesOn)]);
  expect([whole.ending, ...toldOf(whole)]).toEqual(["complete", "It is written.\n[conversation coder-1]"]);
});

test("a tier that delegates in its turn", async () => {
  const [, tester, boss] = work.scripts ?? [];
  const passesOn = { when: "You write code.", replies: [delegates("tester"), "It is written."] };
  const whole = await order({ ...work, scripts: [passesOn, tester, boss].filter((one) => one !== undefined) });
  const toTester = [...enter, ...call, "stateChange", ...decided, "stateChange", "delegate"] as const;
  expect(whole.whose).toEqual([
    ...lead(toDelegate),
    ...coder(toTester),
    ...of(2, "tester", child),
    ...coder(goesOn),
    ...lead(goesOn),
  ]);
  expect(whole.ending).toBe("complete");
});

test("the run of the tier fails: its error, and that of the delegation", async () => {
  const whole = await order(work, (engine) => [
    engine.hooks.on("preGenerate", ({ tier, params }) =>
      tier === "coder" ? { params: { ...params, grammar: "root ::= (" } } : undefined,
    ),
  ]);
  const asked = ["contextAssemble", "contextBudget", "preGenerate"] as const;
  expect(whole.whose).toEqual([...lead(toDelegate), ...coder(enter, asked, ["error"], end), ...lead(failed)]);
  expect(whole.ending).toBe("complete");
  expect(toldOf(whole)).toEqual([expect.stringMatching(/^delegation failed: .*grammar/)]);
});

test("a hook that fails closed in the run of the tier", async () => {
  const whole = await order(work, (engine) => [
    engine.hooks.on(
      "preGenerate",
      ({ tier }) => {
        if (tier === "coder") throw new Error("broken");
      },
      { name: "brake", failClosed: true },
    ),
  ]);
  const asked = ["contextAssemble", "contextBudget", "preGenerate"] as const;
  expect(whole.whose).toEqual([...lead(toDelegate), ...coder(enter, asked, ["error"], end), ...lead(failed)]);
  expect(whole.ending).toBe("complete");
  expect(toldOf(whole)).toEqual([expect.stringMatching(/^delegation failed: halted by brake: hook "brake" at/)]);
});

/** What is halted by a hook of the coder's run. */
const halts: readonly [PointName, readonly PointName[], string][] = [
  ["contextAssemble", [...enter, "contextAssemble", ...end], "halted by brake: no"],
  ["preGenerate", [...enter, "contextAssemble", "contextBudget", "preGenerate", ...end], "halted by brake: no"],
  [
    "iterationEnd",
    [...enter, ...call, "stateChange", ...decided, ...told, "stateChange", ...end],
    "halted by brake: no",
  ],
];

test.each(halts)("the run of the tier is halted at %s", async (point, names, why) => {
  const whole = await order(work, (engine) => [
    hookAt(engine, point, ({ meta }) => (meta.depth === 1 ? cancel("no") : undefined), { name: "brake" }),
  ]);
  expect(whole.whose).toEqual([...lead(toDelegate), ...coder(names), ...lead(failed)]);
  expect(whole.ending).toBe("complete");
  expect(toldOf(whole)).toEqual([`delegation failed: ${why}\n[conversation coder-1]`]);
});

test("the run of the tier comes to a limit", async () => {
  const whole = await order({ ...work, session: { ...work.session, maxIterations: 1 } });
  const once = [...enter, ...use, ...leave] as const;
  const stopped = [...concluded, "stateChange", "iterationEnd", ...leave] as const;
  expect(whole.whose).toEqual([...lead(toDelegate), ...coder(once), ...lead(["error"], stopped)]);
  expect(whole.ending).toBe("limit maxIterations");
  expect(toldOf(whole)).toEqual(["delegation failed: it came to the limit max_iterations\n[conversation coder-1]"]);
});

/** What fires in the coder's run that is aborted while a hook of it is asked. */
const batch = [...enter, ...call, "stateChange", ...decided] as const;
const aborts: readonly [PointName, readonly PointName[]][] = [
  ["loopStart", ["stateChange", "loopStart", ...leave]],
  ["loopIteration", [...loop, "loopIteration", ...end]],
  ["bootstrap", [...enter, ...end]],
  ["contextAssemble", [...enter, "contextAssemble", ...end]],
  ["preGenerate", [...enter, "contextAssemble", "contextBudget", "preGenerate", ...end]],
  ["streamToken", [...enter, ...call, ...end]],
  ["preToolCall", [...enter, ...call, "stateChange", "preToolCall", ...told, ...end]],
  ["permissionCheck", [...batch, ...told, ...end]],
  ["iterationEnd", [...batch, ...told, "stateChange", ...end]],
];

test.each(aborts)("a run that is aborted in the run of the tier, at %s", async (point, names) => {
  const whole = await order(work, (engine, stop) => [
    hookAt(engine, point, ({ meta, signal }) => {
      if (meta.depth !== 1 || stop.signal.aborted) return undefined;
      stop.abort(new Error("enough"));
      return new Promise<void>((resolve) => signal.addEventListener("abort", () => resolve()));
    }),
  ]);
  expect(whole.whose).toEqual([...lead(toDelegate), ...coder(names), ...lead(concluded, end)]);
  expect(whole.ending).toBe("cancelled signal");
  expect(toldOf(whole)).toEqual(["cancelled: enough\n[conversation coder-1]"]);
});

test("a run that is aborted while a tool of the tier's run works", async () => {
  const whole = await order(work, (engine, stop) => [
    engine.hooks.on("postToolCall", ({ meta }) => void (meta.depth === 1 && stop.abort(new Error("enough")))),
  ]);
  expect(whole.whose).toEqual([...lead(toDelegate), ...coder(batch, told, end), ...lead(concluded, end)]);
  expect(whole.ending).toBe("cancelled signal");
});
