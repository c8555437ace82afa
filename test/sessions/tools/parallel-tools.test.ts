// maxParallelTools: how many calls of one message run at once.
import { expect, test } from "vitest";
import { tool } from "../../../src/index.js";
import { openEngine } from "../../support/engine.js";
import { gate } from "../../support/gate.js";
import { resultTexts } from "../../support/sessions.js";

const step = (n: number) => ({ name: "step", args: { n } });
const parameters = { type: "object", properties: { n: { type: "integer" } }, required: ["n"] } as const;

test.each([1, 2])(
  "at most so many calls of a message run at once, and results come in the order of the calls: %i",
  async (maxParallelTools) => {
    const engine = await openEngine([{ toolCalls: [1, 2, 3, 4].map(step) }, "Done."]);
    const gates = new Map([1, 2, 3, 4].map((n) => [n, gate()]));
    const order: string[] = [];
    let running = 0;
    let most = 0;
    const begun = new Map([1, 2, 3, 4].map((n) => [n, gate()]));
    const tools = [
      tool({
        name: "step",
        parameters,
        run: async ({ n }) => {
          order.push(`${n} begins`);
          most = Math.max(most, ++running);
          begun.get(n)?.open();
          await gates.get(n)?.passed;
          running--;
          order.push(`${n} ends`);
          return `step ${n}`;
        },
      }),
    ];
    const run = engine.session({ tools, maxParallelTools }).run("Go");
    void run.then(() => undefined);
    // The last of those under way ends first.
    for (const n of maxParallelTools === 1 ? [1, 2, 3, 4] : [2, 3, 4, 1]) {
      await begun.get(n)?.passed;
      gates.get(n)?.open();
    }
    expect(resultTexts(await run)).toEqual(["step 1", "step 2", "step 3", "step 4"]);
    expect(most).toBe(maxParallelTools);
    expect(order.filter((line) => line.endsWith("begins"))).toEqual([1, 2, 3, 4].map((n) => `${n} begins`));
  },
);

test("without it all run at once", async () => {
  const engine = await openEngine([{ toolCalls: [1, 2, 3, 4].map(step) }, "Done."]);
  const all = gate();
  let running = 0;
  const run = async (): Promise<string> => {
    if (++running === 4) all.open();
    await all.passed;
    return "";
  };
  const session = engine.session({ tools: [tool({ name: "step", parameters, run })] });
  expect((await session.run("Go")).toolCalls).toHaveLength(4);
});

test("a cancel keeps the calls that have not begun from beginning", async () => {
  const engine = await openEngine([{ toolCalls: [1, 2].map(step) }, "Done."]);
  const session = engine.session({
    maxParallelTools: 1,
    tools: [
      tool({
        name: "step",
        parameters,
        run: () => {
          session.cancel("enough");
          return new Promise(() => undefined);
        },
      }),
    ],
  });
  const result = await session.run("Go");
  expect(result.toolCalls).toMatchObject([
    { args: { n: 1 }, resultKind: "cancelled", result: "cancelled: enough" },
    { args: { n: 2 }, resultKind: "cancelled", result: "not run: enough", elapsedMs: 0 },
  ]);
});

test.each([0, 1.5, "2", -1])("maxParallelTools %j is refused", async (maxParallelTools) => {
  const engine = await openEngine([]);
  expect(() => engine.session({ maxParallelTools: maxParallelTools as number })).toThrow(/maxParallelTools/);
});
