// The sentence that opens the page: what hooks leave of llama.cpp's speed, and what a call into TypeScript takes.
// Must not: say anything that was not measured; a part without figures is left out.
import { AWAITED, baseContender, decodeOf, PLAIN, ratioToBase } from "./page-contenders.js";
import { formatList, formatNanoseconds, roughRatio } from "./page-format.js";
import type { BenchResults } from "./results.js";

/** Sentences, or none. */
export function headline(results: BenchResults): string[] {
  return [decodeSentence(results), callSentence(results)].filter((sentence) => sentence !== null);
}

function decodeSentence(results: BenchResults): string | null {
  const base = baseContender(results);
  const shares = decodeOf(results, false)
    .filter(({ contender }) => contender === AWAITED)
    .flatMap((result) => {
      const ratio = ratioToBase(result, base);
      return ratio ? [{ share: roughRatio(ratio.median), model: result.model }] : [];
    });
  if (shares.length === 0) return null;
  const limit = base === PLAIN ? "plain llama.cpp" : "the engine without hooks";
  const [first] = shares;
  const decoded =
    shares.length === 1 && first
      ? `${first.share} of ${limit} (${first.model})`
      : `${formatList(shares.map(({ share, model }) => `${share} (${model})`))} of ${limit}`;
  return `With an awaited TypeScript hook on every token, decode runs at ${decoded}${against(results)}.`;
}

function against(results: BenchResults): string {
  const ratios = decodeOf(results, false)
    .filter(({ contender, toNodeLlamaCpp }) => contender === AWAITED && toNodeLlamaCpp !== null)
    .map(({ toNodeLlamaCpp }) => toNodeLlamaCpp?.median ?? Number.NaN);
  if (ratios.length === 0) return "";
  const [low, high] = [roughRatio(Math.min(...ratios)), roughRatio(Math.max(...ratios))];
  return `, and ${low === high ? low : `${low} to ${high}`} times as fast as node-llama-cpp without hooks`;
}

function callSentence({ micro }: BenchResults): string | null {
  const trips = micro.filter(({ group }) => group === "round trip").sort((a, b) => (a.x ?? 0) - (b.x ?? 0));
  const [shortest] = trips;
  return shortest ? `Asking TypeScript and waiting for its answer takes ${formatNanoseconds(shortest.median)}.` : null;
}
