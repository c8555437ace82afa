// Tries permission rules with many arguments, and builds arguments by combination.
import { expect } from "vitest";
import { type ArgumentCondition, type Engine, type PermissionRule, tool } from "../../src/index.js";
import { openEngine } from "./engine.js";

type Values = readonly unknown[];

interface Judge {
  readonly engine: Engine;
  /** The values with which a tool runs under the rules; each is the argument `v` in a step of a plan. */
  running(permissions: readonly PermissionRule[], values: Values): Promise<unknown[]>;
  /** The values that an allow rule lets run. */
  allowed(is: ArgumentCondition, values: Values): Promise<unknown[]>;
  /** The values that a deny rule lets run; an ask rule must let the same ones run. */
  spared(is: ArgumentCondition, values: Values): Promise<unknown[]>;
}

const probe = tool({ name: "probe", parameters: { type: "object", properties: { v: {} } }, run: () => "ran" });
const limits = { maxToolCalls: 10_000, maxCallsInARow: 10_000, maxIdenticalCalls: 10_000, maxResultBytes: 256 };
const mostSteps = 64;

export async function openJudge(): Promise<Judge> {
  const engine = await openEngine({ replies: ["Done."], afterLast: "repeat" });
  const running: Judge["running"] = async (permissions, values) => {
    const ran: unknown[] = [];
    for (let from = 0; from < values.length; from += mostSteps) {
      const some = values.slice(from, from + mostSteps);
      const steps = some.map((v) => ({ tool: "probe", args: { v } }));
      const session = engine.session({ tools: [probe], temperature: 0, permissions, ...limits });
      const { toolCalls } = await session.run("Go", { plan: { flow: "parallel", steps } });
      await session.close();
      expect(toolCalls).toHaveLength(some.length);
      ran.push(...some.filter((_, index) => toolCalls[index]?.resultKind === "ok"));
    }
    return ran;
  };
  return {
    engine,
    running,
    allowed: (is, values) => running([{ allow: "probe", when: { "args.v": is } }], values),
    async spared(is, values) {
      const ran = await running([{ allow: "**" }, { deny: "probe", when: { "args.v": is } }], values);
      expect(await running([{ allow: "**" }, { ask: "probe", when: { "args.v": is } }], values)).toEqual(ran);
      return ran;
    },
  };
}

/** All combinations of one of each, joined. */
export const joined = (...parts: (readonly string[])[]): string[] =>
  parts.reduce<string[]>((all, some) => all.flatMap((one) => some.map((next) => one + next)), [""]);
