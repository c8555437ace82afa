// The cost of the user's hooks as text for any width: a table, or a paragraph for each hook if the table is too wide.
import type { Paint } from "../../base/paint.js";
import { plural } from "../../base/plural.js";
import { wrap } from "../../base/wrap.js";
import { isWithinNoise } from "../results/noise.js";
import type { BenchResults, HookResult, OwnHooksResult } from "../results/results.js";
import { type Cell, grid } from "./grid.js";

/** Empty if no hooks of the user were measured. */
export function ownHooksText({ models, ownHooks }: BenchResults, paint: Paint, width: number): string {
  if (ownHooks === undefined) return "";
  const { generations, hooks } = ownHooks;
  const called = hooks.filter(({ neverCalled }) => neverCalled === null);
  const parts = [
    models.flatMap(({ label, synthetic, tokens, promptTokens }) => [
      ...styled("bold", `${synthetic ? "synthetic " : ""}${label}`),
      ...styled("dim", `${tokens} tokens after a prompt of ${promptTokens}, ${plural(generations, "pair")}`),
    ]),
    speedLines(ownHooks, paint, width),
    called.length === 0 ? [] : [...styled("dim", countsOf(generations)), ...hookLines(called, paint, width)],
    called.some(({ observe }) => observe) ? styled("dim", observers) : [],
    hooks.flatMap(({ failure, ...hook }) =>
      failure === null ? [] : styled("yellow", `${failure.code}: ${labelOf(hook)}: ${failure.message}`),
    ),
    called.length === 0 ? styled("yellow", "None of your hooks was called.") : [],
    hooks.flatMap((hook) =>
      hook.neverCalled === null ? [] : styled("yellow", `never called: ${labelOf(hook)}: ${hook.neverCalled}`),
    ),
  ];
  return parts
    .filter((lines) => lines.length > 0)
    .map((lines) => lines.join("\n"))
    .join("\n\n");

  function styled(style: Parameters<Paint>[0], text: string): string[] {
    return wrap(text, width, "  ").map((line) => paint(style, line));
  }
}

const observers = "Nobody waits for an observer: the time of its call is that of handing over the event.";
const noise = "~ within the noise: some pairs were faster with the hooks, and others slower";

function countsOf(generations: number): string {
  return `the calls of ${generations === 1 ? "the generation" : `all ${generations} generations`} with the hooks`;
}

/** The name of a hook, or where a hook without a name was registered, and its point. */
function labelOf({ name, point, location }: Pick<HookResult, "name" | "point" | "location">): string {
  return `${whoOf({ name, location })} at ${point}`;
}

function whoOf({ name, location }: Pick<HookResult, "name" | "location">): string {
  return name === "" ? (location?.replace(/^.*[\\/]/, "") ?? "(no name)") : name;
}

function speedLines({ without, with: own, ratio, addedUs }: OwnHooksResult, paint: Paint, width: number): string[] {
  const noisy = isWithinNoise(ratio);
  const columns = [
    { heading: "", align: "left" },
    { heading: "tokens/s", align: "right" },
    { heading: "to no hook", align: "right" },
    { heading: "spread", align: "right" },
    { heading: "a token", align: "right" },
  ] as const;
  const rows: Cell[][] = [
    [{ text: "no hook" }, { text: speed(without.median), style: "bold" }, { text: "" }, { text: "" }, { text: "" }],
    [
      { text: "your hooks" },
      { text: speed(own.median), style: "bold" },
      { text: `${noisy ? "~" : ""}${ratio.median.toFixed(3)}` },
      { text: `${ratio.lowest.toFixed(3)}–${ratio.highest.toFixed(3)}`, style: "dim" },
      { text: noisy ? "in noise" : `${addedUs.median < 0 ? "" : "+"}${microseconds(addedUs.median)}` },
    ],
  ];
  return [...grid(columns, rows, paint), ...(noisy ? wrap(noise, width, "  ").map((line) => paint("dim", line)) : [])];
}

function hookLines(hooks: readonly HookResult[], paint: Paint, width: number): string[] {
  const columns = [
    { heading: "hook", align: "left" },
    { heading: "point", align: "left" },
    { heading: "calls", align: "right" },
    { heading: "a call", align: "right" },
    { heading: "failures", align: "right" },
    { heading: "", align: "left" },
  ] as const;
  const rows = hooks.map((hook): Cell[] => [
    { text: whoOf(hook) },
    { text: hook.point },
    { text: String(hook.calls) },
    { text: timeOf(hook) },
    { text: String(hook.failures), ...(hook.failures > 0 && { style: "yellow" }) },
    { text: hook.observe ? "observer" : "", style: "dim" },
  ]);
  const widest = columns.map(({ heading }, index) =>
    Math.max(heading.length, ...rows.map((cells) => cells[index]?.text.length ?? 0)),
  );
  const total = widest.reduce((sum, one) => sum + one + 2, -2);
  return total <= width ? grid(columns, rows, paint) : hooks.flatMap((hook) => paragraphOf(hook, width));
}

function paragraphOf(hook: HookResult, width: number): string[] {
  const { calls, failures, observe } = hook;
  const figures = `${plural(calls, "call")}, ${timeOf(hook)} a call, ${plural(failures, "failure")}`;
  return [...wrap(labelOf(hook), width), ...wrap(`  ${figures}${observe ? ", observer" : ""}`, width, "  ")];
}

function timeOf({ callUs }: HookResult): string {
  return callUs === null ? "unknown" : microseconds(callUs);
}

function microseconds(us: number): string {
  const size = Math.abs(us);
  if (size >= 1000) return `${(us / 1000).toFixed(size < 10_000 ? 2 : 1)} ms`;
  return `${us.toFixed(size < 10 ? 1 : 0)} us`;
}

function speed(tokensPerSecond: number): string {
  return tokensPerSecond >= 1000 ? Math.round(tokensPerSecond).toString() : tokensPerSecond.toFixed(1);
}
