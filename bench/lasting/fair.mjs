// P16: how long a running generation waits for its next token while another's long prompt is read, and what that costs
// the prompt. Gaps are those that a reader of the running generation sees. Must not: read the long prompt from the
// cache.
import { median, percentile } from "../../dist/bench/results/statistics.js";
import { plainly, withEngine } from "./engine.mjs";

/** `long`, `short`: prompts; `undisturbed`: the number of gaps that measure a step alone. */
export function measure({ model, gpu, threads, long, short, contextSize, undisturbed }) {
  return withEngine({ model, gpu, threads, contextSize, parallel: 2 }, async (engine) => {
    // The prompts differ from the first token, so neither finds the other in the cache.
    const read = (number) => engine.generate(`${number} ${long}`, { ...plainly, maxTokens: 1 });
    const alone = await read(1);
    const { step, gaps, beside } = await readBeside(engine, { short, contextSize, undisturbed, read: () => read(2) });
    return {
      step,
      gaps,
      p95: percentile(gaps, 0.95),
      promptTokens: beside.usage.promptTokens,
      alone: promptSpeed(alone),
      beside: promptSpeed(beside),
    };
  });
}

async function readBeside(engine, { short, contextSize, undisturbed, read }) {
  // As many as the context holds: cancelled once the prompt is read.
  const running = engine.generate(short, { ...plainly, maxTokens: contextSize });
  const times = [];
  let begin;
  let beside;
  let failure;
  for await (const { type } of running) {
    if (type !== "token") continue;
    times.push(performance.now());
    if (failure !== undefined) throw failure;
    if (beside !== undefined) break;
    if (begin !== undefined || times.length <= undisturbed) continue;
    begin = times.length;
    read().then(
      (result) => (beside = result),
      (error) => (failure = error),
    );
  }
  if (beside === undefined) throw new Error("the running generation ended before the prompt was read");
  const gaps = times.slice(1).map((time, index) => time - times[index]);
  // The first gap that counts is the one in which the prompt arrived.
  return { step: median(gaps.slice(0, begin - 1)), gaps: gaps.slice(begin - 1), beside };
}

function promptSpeed({ usage: { promptTokens, cachedTokens, promptMs } }) {
  return ((promptTokens - cachedTokens) * 1000) / promptMs;
}
