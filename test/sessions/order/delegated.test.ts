import { expect, test } from "vitest";
import { cancel, type PointName } from "../../../src/index.js";
import * as part from "../../support/order/order-parts.js";
import { hookAt, type Occasion, order, type Ordered, untilAborted } from "../../support/order/orders.js";
import { calls, clock, resultTexts } from "../../support/sessions.js";

const { act, answer, asked, call, child, concluded, end, enter, leave, on, recorded, toDelegate } = part;

/** Points of the run of a tier. */
const of = (depth: number, tier: string, ...names: readonly part.Names[]): string[] =>
  names.flat().map((name) => `${name} ${depth} ${tier}`);
const lead = (...names: readonly part.Names[]): string[] => of(0, "lead", ...names);
const coder = (...names: readonly part.Names[]): string[] => of(1, "coder", ...names);

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
/** The end in the lead: the result is recorded, and it answers. */
const leadContinues = [...concluded, ...part.continues] as const;
const failed = ["error", ...leadContinues] as const;
/** In the coder, up to a tool call that may run. */
const coderActs = [...enter, ...act] as const;

const resultsOf = ({ result }: Ordered): string[] => (result === undefined ? [] : resultTexts(result));

test("a run that delegates, and the run of the tier", async () => {
  const whole = await order(work);
  expect(whole.whose).toEqual([...lead(toDelegate), ...coder(enter, part.use, answer), ...lead(leadContinues)]);
  expect([whole.ending, ...resultsOf(whole)]).toEqual(["complete", "It is written.\n[conversation coder-1]"]);
});

test("a tier that delegates in its turn", async () => {
  const [, tester, boss] = work.scripts ?? [];
  const passesOn = { when: "You write code.", replies: [delegates("tester"), "It is written."] };
  const whole = await order({ ...work, scripts: [passesOn, tester, boss].filter((one) => one !== undefined) });
  const toTester = [...coderActs, "stateChange", "delegate"] as const;
  expect(whole.whose).toEqual([
    ...lead(toDelegate),
    ...coder(toTester),
    ...of(2, "tester", child),
    ...coder(leadContinues),
    ...lead(leadContinues),
  ]);
  expect(whole.ending).toBe("complete");
});

test("the run of the tier fails: its error, and that of the delegation", async () => {
  const whole = await order(work, (engine) => [
    engine.hooks.on("preGenerate", ({ tier, params }) =>
      tier === "coder" ? { params: { ...params, grammar: "root ::= (" } } : undefined,
    ),
  ]);
  expect(whole.whose).toEqual([...lead(toDelegate), ...coder(enter, asked, ["error"], end), ...lead(failed)]);
  expect(whole.ending).toBe("complete");
  expect(resultsOf(whole)).toEqual([expect.stringMatching(/^delegation failed: .*grammar/)]);
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
  expect(whole.whose).toEqual([...lead(toDelegate), ...coder(enter, asked, ["error"], end), ...lead(failed)]);
  expect(whole.ending).toBe("complete");
  expect(resultsOf(whole)).toEqual([expect.stringMatching(/^delegation failed: halted by brake: hook "brake" at/)]);
});

/** The points that fire if a hook of the coder's run halts it there. */
const halts: readonly [PointName, part.Names][] = [
  ["contextAssemble", [...enter, "contextAssemble", ...end]],
  ["preGenerate", [...enter, ...asked, ...end]],
  ["iterationEnd", [...coderActs, ...recorded, "stateChange", ...end]],
];

test.each(halts)("the run of the tier is halted at %s", async (point, names) => {
  const whole = await order(work, (engine) => [
    hookAt(engine, point, ({ meta }) => (meta.depth === 1 ? cancel("no") : undefined), { name: "brake" }),
  ]);
  expect(whole.whose).toEqual([...lead(toDelegate), ...coder(names), ...lead(failed)]);
  expect(whole.ending).toBe("complete");
  expect(resultsOf(whole)).toEqual(["delegation failed: halted by brake: no\n[conversation coder-1]"]);
});

test("the run of the tier comes to a limit", async () => {
  const whole = await order({ ...work, session: { ...work.session, maxIterations: 1 } });
  const once = [...enter, ...part.use, ...leave] as const;
  const stopped = [...concluded, ...on, ...leave] as const;
  expect(whole.whose).toEqual([...lead(toDelegate), ...coder(once), ...lead(["error"], stopped)]);
  expect(whole.ending).toBe("limit maxIterations");
  expect(resultsOf(whole)).toEqual(["delegation failed: it came to the limit max_iterations\n[conversation coder-1]"]);
});

/** The points that fire in the coder's run if it is aborted while one of its hooks is asked. */
const aborts: readonly [PointName, part.Names][] = [
  ["loopStart", ["stateChange", "loopStart", ...leave]],
  ["loopIteration", [...part.loop, "loopIteration", ...end]],
  ["bootstrap", [...enter, ...end]],
  ["contextAssemble", [...enter, "contextAssemble", ...end]],
  ["preGenerate", [...enter, ...asked, ...end]],
  ["streamToken", [...enter, ...call, ...end]],
  ["preToolCall", [...enter, ...call, "stateChange", "preToolCall", ...recorded, ...end]],
  ["permissionCheck", [...coderActs, ...recorded, ...end]],
  ["iterationEnd", [...coderActs, ...recorded, "stateChange", ...end]],
];

test.each(aborts)("a run that is aborted in the run of the tier, at %s", async (point, names) => {
  const whole = await order(work, (engine, stop) => [
    hookAt(engine, point, ({ meta, signal }) => {
      if (meta.depth !== 1 || stop.signal.aborted) return undefined;
      stop.abort(new Error("enough"));
      return untilAborted(signal);
    }),
  ]);
  expect(whole.whose).toEqual([...lead(toDelegate), ...coder(names), ...lead(concluded, end)]);
  expect(whole.ending).toBe("cancelled signal");
  expect(resultsOf(whole)).toEqual(["cancelled: enough\n[conversation coder-1]"]);
});

test("a run that is aborted while a tool of the tier's run works", async () => {
  const whole = await order(work, (engine, stop) => [
    engine.hooks.on("postToolCall", ({ meta }) => void (meta.depth === 1 && stop.abort(new Error("enough")))),
  ]);
  expect(whole.whose).toEqual([...lead(toDelegate), ...coder(coderActs, recorded, end), ...lead(concluded, end)]);
  expect(whole.ending).toBe("cancelled signal");
});
