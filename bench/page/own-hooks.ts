// The part of the page about the user's own hooks: their cost together, and the calls and outcomes of each.
import { html, type Html } from "../../src/base/html.js";
import { formatNumber, formatRatio } from "../../src/bench/results/format.js";
import { isWithinNoise } from "../../src/bench/results/noise.js";
import type { BenchResults, HookResult, Spread } from "../../src/bench/results/results.js";
import { table } from "./tables.js";

/** Null if no hooks of the user were measured. */
export function ownHooksSection({ ownHooks, models }: BenchResults): Html | null {
  if (ownHooks === undefined) return null;
  const { files, generations, without, with: own, ratio, addedUs, hooks } = ownHooks;
  const noisy = isWithinNoise(ratio);
  const sides: readonly (readonly [string, string, Spread])[] = [
    ["No hook", "tokens/s", without],
    ["Your hooks", "tokens/s", own],
    ["Your hooks, to no hook", "ratio", ratio],
    ["Your hooks add", "µs a token", addedUs],
  ];
  const format = (unit: string): ((value: number) => string) => (unit === "ratio" ? formatRatio : formatNumber);
  const [model] = models;
  return html`<section id="own-hooks" aria-labelledby="own-hooks-heading">
    <h2 id="own-hooks-heading">Your hooks</h2>
    <p>
      ${files.join(", ")}: ${generations} generations of ${model?.tokens ?? 0} tokens with the hooks, and as many
      without.${noisy ? " Some pairs were faster with the hooks, and others slower: the difference is within the noise." : null}
    </p>
    ${table("What the hooks cost together", sides, [
      { name: "What", cell: ([what]) => what },
      { name: "Unit", cell: ([, unit]) => unit },
      { name: "Median", cell: ([, unit, { median }]) => format(unit)(median), figure: true },
      {
        name: "Lowest to highest",
        cell: ([, unit, { lowest, highest }]) => `${format(unit)(lowest)} to ${format(unit)(highest)}`,
        figure: true,
      },
    ])}
    ${table("What each hook did", hooks, [
      { name: "Hook", cell: whoOf },
      { name: "Point", cell: ({ point }) => point },
      { name: "Calls", cell: ({ calls }) => calls, figure: true },
      { name: "µs a call", cell: ({ callUs }) => (callUs === null ? "–" : formatNumber(callUs)), figure: true },
      { name: "Failures", cell: ({ failures }) => failures, figure: true },
      { name: "Remark", cell: remarkOf },
    ])}
  </section>`;
}

function whoOf({ name, location }: HookResult): string {
  return name === "" ? (location ?? "(no name)") : name;
}

function remarkOf({ observe, neverCalled, failure }: HookResult): string {
  const parts = [
    ...(neverCalled === null ? [] : [`never called: ${neverCalled}`]),
    ...(failure === null ? [] : [`${failure.code}: ${failure.message}`]),
    ...(observe ? ["observer: the time of its call is that of handing over the event"] : []),
  ];
  return parts.join("; ");
}
