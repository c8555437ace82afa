// approve() of llama-hooks/hooks, in runs on script models.
import { expect, test } from "vitest";
import type { RunResult, Session } from "../../src/index.js";
import { type ApprovalRequest, approve } from "../../src/ready-hooks/index.js";
import { gate } from "../support/gate.js";
import { openEngine } from "../support/engine.js";
import { asks, calls, runOnce, resultTexts, tools } from "../support/sessions.js";

const kinds = ({ toolCalls }: RunResult): string[] => toolCalls.map(({ resultKind }) => resultKind);

test("approve(): what the rules ask about waits for a person; deny and allow stay as they are", async () => {
  const engine = await openEngine([
    { toolCalls: ["Oslo", "Rome", "Bonn"].map((city) => ({ name: "weather", args: { city } })) },
    "Done.",
  ]);
  const asked: [string, unknown, string | null][] = [];
  engine.hooks.use(
    approve({
      ask: async ({ toolName, args, rule, signal }) => {
        await Promise.resolve();
        asked.push([toolName, args["city"], rule]);
        expect(signal.aborted).toBe(false);
        return args["city"] === "Oslo" ? true : { allow: false, reason: "not there" };
      },
    }),
  );
  const permissions = [{ ask: "weather" }, { deny: "weather", when: { "args.city": "Bonn" } }];
  const result = await runOnce(engine, { permissions });
  expect(resultTexts(result)).toEqual([
    "Oslo: 4 degrees",
    "denied: not there",
    "denied: the rule deny weather when args.city is Bonn",
  ]);
  expect(asked.map(([name, city]) => [name, city])).toEqual([
    ["weather", "Oslo"],
    ["weather", "Rome"],
  ]);
});

test("approve(): what the rules allow is asked about where `also` says so; an answer to what they ask is remembered", async () => {
  const engine = await openEngine([asks("Oslo"), calls("clock"), asks("Rome"), calls("clock", {}), "Done."]);
  const asked: string[] = [];
  const ask = ({ toolName }: ApprovalRequest) => (asked.push(toolName), { allow: true, remember: "tool" as const });
  engine.hooks.use(approve({ ask, also: ({ toolName, args }) => toolName === "weather" && args["city"] === "Rome" }));
  expect(kinds(await runOnce(engine))).toEqual(["ok", "ok", "ok", "ok"]);
  expect(asked.splice(0)).toEqual(["weather"]);
  const permissions = [{ allow: "weather" }, { ask: "clock" }];
  expect(kinds(await runOnce(engine, { permissions }))).toEqual(["ok", "ok", "ok", "ok"]);
  expect(asked).toEqual(["clock", "weather"]);
});

test("approve(): one that fails, and one that says nonsense, denies", async () => {
  for (const ask of [
    () => Promise.reject(new Error("no terminal")),
    () => "yes",
    () => ({ allow: "yes" }),
    () => ({ reason: "no word of allow" }),
    () => ({ allow: true, reason: 5 }),
  ]) {
    const engine = await openEngine([asks("Oslo"), "Done."]);
    engine.hooks.use(approve({ ask: ask as never }));
    const result = await runOnce(engine, { permissions: [{ ask: "*" }] });
    expect(kinds(result)).toEqual(["rejected_permission"]);
    expect(engine.hooks.stats().map(({ failures }) => failures)).toEqual([1]);
  }
});

test("approve(): sessions are asked about one after the other, and who is cancelled meanwhile is not", async () => {
  const engine = await openEngine([asks("Oslo"), "Done."], { parallel: 3 });
  const [asking, waiting, answered] = [gate(), gate(), gate()];
  let open = 0;
  const asked: [session: string | null, open: number][] = [];
  engine.hooks.use(
    approve({
      ask: async ({ sessionId }) => {
        asked.push([sessionId, ++open]);
        asking.open();
        await answered.passed;
        open--;
        return true;
      },
    }),
  );
  let come = 0;
  engine.hooks.on("permissionCheck", () => void (++come === 3 && waiting.open()), { priority: -1 });
  const options = { tools, permissions: [{ ask: "*" }], temperature: 0 };
  const sessions = [0, 1, 2].map(() => engine.session(options));
  const runs = sessions.map((session) => {
    const controller = new AbortController();
    return { controller, run: session.run("Hello", { signal: controller.signal }) };
  });
  const ends = Promise.all(runs.map(({ run }) => run));
  await asking.passed;
  await waiting.passed;
  const leaver = sessions.findIndex(({ id }) => id !== asked[0]?.[0]);
  runs[leaver]?.controller.abort();
  expect((await runs[leaver]?.run)?.finishReason).toBe("cancelled");
  answered.open();
  expect((await ends).filter(({ finishReason }) => finishReason === "complete").length).toBe(2);
  expect(asked.map(([, atOnce]) => atOnce)).toEqual([1, 1]);
});

test("approve(): a question that is abandoned without an answer holds up no other", async () => {
  const engine = await openEngine([asks("Oslo"), "Done."], { parallel: 3 });
  const sessions = [0, 1].map(() => engine.session({ tools, permissions: [{ ask: "*" }], temperature: 0 }));
  const [first, second] = sessions as [Session, Session];
  const asking = gate();
  const never = new Promise<boolean>(() => undefined);
  const ask = ({ sessionId }: ApprovalRequest) => {
    asking.open();
    return sessionId === first.id ? never : true;
  };
  engine.hooks.use(approve({ ask }));
  const run = first.run("Hello");
  const ended = Promise.resolve(run);
  await asking.passed;
  const next = Promise.resolve(second.run("Hello"));
  run.cancel();
  expect((await ended).finishReason).toBe("cancelled");
  expect(resultTexts(await next)).toEqual(["Oslo: 4 degrees"]);
});
