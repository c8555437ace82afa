// P21: the cost of a thousand requests at once compared with their work. Must not: start more than the engine queues by
// default (`maxQueued`).
import { readFileSync } from "node:fs";
import { plainly, withEngine } from "./engine.mjs";

/**
 * `rate`: tokens per second, including reading prompts, of `requests` started at once, in two rounds; `steady`: the
 * same with no more in flight than sequences, so that none waits in the engine's line. `threads`: of the process, when
 * idle and the maximum while requests wait; null if the system does not report it.
 */
export function measure({ model, gpu, threads, prompt, tokens, contextSize, sequences, requests }) {
  return withEngine({ model, gpu, threads, contextSize, parallel: sequences }, async (engine) => {
    let number = 0;
    const one = async () => {
      const { usage } = await engine.generate(`${++number} ${prompt}`, { ...plainly, maxTokens: tokens });
      if (usage.completionTokens !== tokens) throw new Error(`it ended after ${usage.completionTokens} tokens`);
    };
    const steadily = async (count) => {
      const workers = Array.from({ length: sequences }, async (_, index) => {
        for (let done = index; done < count; done += sequences) await one();
      });
      await Promise.all(workers);
    };
    const atOnce = (count) => Promise.all(Array.from({ length: count }, one));
    await steadily(4 * sequences);
    const idle = processStatus();
    const before = await watched(() => steadily(requests / 4), (requests / 4) * tokens);
    const first = await watched(() => atOnce(requests), requests * tokens);
    const second = await watched(() => atOnce(requests), requests * tokens);
    const after = await watched(() => steadily(requests / 4), (requests / 4) * tokens);
    return { idle, steady: [before, after], bursts: [first, second] };
  });
}

/** The speed of `work`, and the maximum of threads and memory during it. */
async function watched(work, tokens) {
  const peak = { threads: null, residentMb: 0 };
  const look = () => {
    const { threads, residentMb } = processStatus();
    if (threads !== null) peak.threads = Math.max(peak.threads ?? 0, threads);
    peak.residentMb = Math.max(peak.residentMb, residentMb);
  };
  const timer = setInterval(look, 10);
  const begin = performance.now();
  try {
    await work();
  } finally {
    clearInterval(timer);
  }
  const seconds = (performance.now() - begin) / 1000;
  look();
  return { rate: tokens / seconds, ...peak };
}

function processStatus() {
  const residentMb = process.memoryUsage.rss() / 1e6;
  try {
    return { threads: Number(/^Threads:\s+(\d+)$/m.exec(readFileSync("/proc/self/status", "utf8"))[1]), residentMb };
  } catch {
    return { threads: null, residentMb };
  }
}
