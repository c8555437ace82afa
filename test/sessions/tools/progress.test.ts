// Progress that tools tell: its events, and the deadline that it renews.
import { expect, test } from "vitest";
import { type Run, type RunEvent, tool, type ToolContext } from "../../../src/index.js";
import { openEngine } from "../../support/engine.js";
import { gate } from "../../support/gate.js";
import { calls, runOnce, resultTexts } from "../../support/sessions.js";

type Progress = Extract<RunEvent, { type: "toolProgress" }>;

const works = (run: (context: ToolContext) => unknown, deadlineMs?: number) =>
  tool({ name: "work", run: (_, context) => run(context), ...(deadlineMs !== undefined && { deadlineMs }) });

async function eventsOf(run: Run, on?: (event: Progress) => void): Promise<RunEvent[]> {
  const events: RunEvent[] = [];
  for await (const event of run) {
    events.push(event);
    if (event.type === "toolProgress") on?.(event);
  }
  return events;
}

const isProgress = (event: RunEvent): event is Progress => event.type === "toolProgress";

test("progress of a tool reaches the reader before its result", async () => {
  const engine = await openEngine([calls("work"), "Done."]);
  const seen = gate();
  const work = works(async ({ progress }) => {
    progress(1, 4, "one file");
    await seen.passed; // the reader has it while the tool runs
    progress(4, 4);
    return "all";
  });
  const run = engine.session({ tools: [work] }).run("Go");
  const events = await eventsOf(run, () => seen.open());
  const { runId, toolCalls } = await run;
  const of = { type: "toolProgress", toolCallId: toolCalls[0]?.id, name: "work", runId, depth: 0 };
  expect(events.filter(isProgress)).toEqual([
    { ...of, done: 1, total: 4, message: "one file" },
    { ...of, done: 4, total: 4 },
  ]);
  const types = events.map(({ type }) => type);
  expect(types.lastIndexOf("toolProgress")).toBeLessThan(types.indexOf("toolResult"));
});

test("of progress in a loop the last is reported, and few others", async () => {
  const engine = await openEngine([calls("work"), "Done."]);
  const most = 50_000;
  const begun = performance.now();
  const work = works(async ({ progress }) => {
    for (let done = 1; done <= most; done++) {
      progress(done);
      if (done % 1000 === 0) await Promise.resolve();
    }
    return "all";
  });
  const run = engine.session({ tools: [work] }).run("Go");
  const done = (await eventsOf(run)).filter(isProgress).map((event) => event.done);
  expect(done.at(-1)).toBe(most);
  expect(done).toEqual(done.toSorted((a, b) => a - b));
  expect(done.length).toBeLessThanOrEqual(2 + (performance.now() - begun) / 50);
});

test("a tool that gives its result at once tells its progress, too", async () => {
  const engine = await openEngine([calls("work"), "Done."]);
  const work = works(({ progress }) => (progress(1, 2), progress(2, 2), "all"));
  const run = engine.session({ tools: [work] }).run("Go");
  const done = (await eventsOf(run)).filter(isProgress).map((event) => event.done);
  expect(done.at(-1)).toBe(2);
});

test("progress of calls that run at once has the ids of its calls", async () => {
  const engine = await openEngine([{ toolCalls: [1, 2].map(() => ({ name: "work", args: {} })) }, "Done."]);
  const both = gate();
  const ids = new Set<string>();
  const work = works(async ({ progress }) => {
    progress(1);
    await both.passed;
    return "all";
  });
  const run = engine.session({ tools: [work], maxIdenticalCalls: 2 }).run("Go");
  await eventsOf(run, ({ toolCallId }) => {
    if (ids.add(toolCallId).size === 2) both.open();
  });
  expect([...ids].toSorted()).toEqual((await run).toolCalls.map(({ id }) => id).toSorted());
});

test("progress renews the deadline", async () => {
  const engine = await openEngine([calls("work"), "Done."]);
  const deadline = 1_000;
  let longest = 0; // no longer than the deadline, unless the machine stood still
  const work = works(async ({ progress, signal }) => {
    const begun = performance.now();
    let last = begun;
    while (last - begun < 1.5 * deadline && !signal.aborted) {
      await new Promise((resolve) => setTimeout(resolve, 20));
      progress(1);
      longest = Math.max(longest, performance.now() - last);
      last = performance.now();
    }
    return "all";
  }, deadline);
  const result = await runOnce(engine, { tools: [work] });
  if (longest < 0.9 * deadline) expect(resultTexts(result)).toEqual(["all"]);
});

test("a tool that reported progress, and then nothing, passes its deadline", async () => {
  const engine = await openEngine([calls("work"), "Done."]);
  const aborted = gate();
  const work = works(({ progress, signal }) => {
    progress(1);
    signal.addEventListener("abort", () => {
      progress(2); // ignored: the call is over
      aborted.open();
    });
    return new Promise(() => undefined);
  }, 100);
  const run = engine.session({ tools: [work] }).run("Go");
  const events = await eventsOf(run);
  await aborted.passed;
  expect((await run).toolCalls).toMatchObject([{ resultKind: "timeout" }]);
  expect(events.filter(isProgress).map(({ done }) => done)).not.toContain(2);
});

test("one call's progress does not put off the deadline of another", async () => {
  const engine = await openEngine([{ toolCalls: ["work", "hangs"].map((name) => ({ name, args: {} })) }, "Done."]);
  const given = gate();
  const work = works(async ({ progress }) => {
    const timer = setInterval(() => progress(1), 10);
    await given.passed; // which opens when the other has been given up
    clearInterval(timer);
    return "all";
  }, 60_000);
  const hangs = tool({
    name: "hangs",
    deadlineMs: 50,
    run: (_, { signal }) =>
      new Promise(() => {
        signal.addEventListener("abort", () => given.open());
      }),
  });
  const result = await runOnce(engine, { tools: [work, hangs] });
  expect(resultTexts(result)).toEqual(["all", "timed out after 50 ms"]);
});

test.each([
  [["a"], /done of progress\(\)/],
  [[-1], /done of progress\(\)/],
  [[undefined], /done of progress\(\)/],
  [[Number.NaN], /done of progress\(\)/],
  [[1, "2"], /total of progress\(\)/],
  [[1, 2, 3], /message of progress\(\)/],
])("wrong progress %j fails the call", async (args, message) => {
  const engine = await openEngine([calls("work"), "Done."]);
  const work = works(({ progress }) => (progress as (...given: unknown[]) => void)(...args));
  const result = await runOnce(engine, { tools: [work] });
  expect(resultTexts(result)).toEqual([expect.stringMatching(message)]);
  expect(result.toolCalls).toMatchObject([{ resultKind: "error" }]);
});

test("a message has no NUL, and the last progress of a failed call is reported", async () => {
  const engine = await openEngine([calls("work"), "Done."]);
  const work = works(({ progress }) => {
    progress(0, 0, "a\0b");
    throw new Error("no");
  });
  const run = engine.session({ tools: [work] }).run("Go");
  const events = await eventsOf(run);
  expect(events.filter(isProgress)).toMatchObject([{ done: 0, total: 0, message: "a\ufffdb" }]);
  expect(resultTexts(await run)).toEqual(["error: no"]);
});
