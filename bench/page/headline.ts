// The sentences that open the page: the share of llama.cpp's speed that hooks leave, and the time of a call into
// TypeScript. Must not: state a figure that was not measured, or on which the rounds disagree; leave it out.
import { roundsAgree, whyUnreliable } from "../../src/bench/results/noise.js";
import { AWAITED, baseContender, decodeOf, PLAIN, ratioToBase } from "../../src/bench/results/contender-roles.js";
import { formatList, formatNanoseconds, roughRatio } from "../../src/bench/results/format.js";
import type { BenchResults, DecodeResult } from "../../src/bench/results/results.js";

/** Returns an empty list if no figure is reliable. */
export function headline(results: BenchResults): string[] {
  return [decodeSentence(results), callSentence(results)].filter((sentence) => sentence !== null);
}

/** The awaited-hook results of the models whose figures are reliable. */
function awaited(results: BenchResults): DecodeResult[] {
  const single = decodeOf(results, false);
  return single.filter(
    ({ contender, model }) =>
      contender === AWAITED && whyUnreliable(single.filter((one) => one.model === model)) === null,
  );
}

function decodeSentence(results: BenchResults): string | null {
  const base = baseContender(results);
  const shares = awaited(results).flatMap((result) => {
    const ratio = ratioToBase(result, base);
    return ratio && roundsAgree(ratio) ? [{ share: `${roughRatio(ratio.median)}x`, model: result.model }] : [];
  });
  if (shares.length === 0) return null;
  const limit = base === PLAIN ? "plain llama.cpp" : "the engine without hooks";
  const [first] = shares;
  const decoded =
    shares.length === 1 && first
      ? `${first.share} the speed of ${limit} (${first.model})`
      : `${formatList(shares.map(({ share, model }) => `${share} (${model})`))} the speed of ${limit}`;
  return `With an awaited TypeScript hook on every token, decode runs at ${decoded}${against(results)}.`;
}

function against(results: BenchResults): string {
  const ratios = awaited(results).flatMap(({ toNodeLlamaCpp }) =>
    toNodeLlamaCpp && roundsAgree(toNodeLlamaCpp) ? [toNodeLlamaCpp.median] : [],
  );
  if (ratios.length === 0) return "";
  const [low, high] = [`${roughRatio(Math.min(...ratios))}x`, `${roughRatio(Math.max(...ratios))}x`];
  return `, and at ${low === high ? low : `${low} to ${high}`} the speed of node-llama-cpp without hooks`;
}

function callSentence({ micro }: BenchResults): string | null {
  const trips = micro.filter(({ group }) => group === "round trip").sort((a, b) => (a.x ?? 0) - (b.x ?? 0));
  const [shortest] = trips;
  return shortest ? `Asking TypeScript and waiting for its answer takes ${formatNanoseconds(shortest.median)}.` : null;
}
