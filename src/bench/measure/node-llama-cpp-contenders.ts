// node-llama-cpp as a contender, used as its documentation says. Must not: slow it down, or skip work that its users
// pay for.
import type { LlamaContext, LlamaContextSequence, LlamaModel, Token } from "node-llama-cpp";
import { type Job, promptsOf } from "./job.js";
import type { Timing } from "./timing.js";

export const nodeLlamaCppContenders: Readonly<Record<string, (job: Job) => Promise<Timing>>> = {
  "node-llama-cpp": (job) => measure(job, evaluateAll),
  "node-llama-cpp-streamed": (job) => measure(job, complete),
};

interface Loaded {
  readonly model: LlamaModel;
  readonly context: LlamaContext;
}

type Decoded = Omit<Timing, "loadMs">;

async function measure(job: Job, decode: (loaded: Loaded, job: Job) => Promise<Decoded>): Promise<Timing> {
  const { getLlama, LlamaLogLevel } = await import("node-llama-cpp");
  const { gpu, threads, sequences, contextSize } = job;
  const start = performance.now();
  const options = { gpu, build: "never", maxThreads: threads, logLevel: LlamaLogLevel.error } as const;
  const llama = await getLlama(options).catch((cause: unknown) => {
    throw new Error(`its ${gpu === false ? "CPU" : gpu} build cannot be loaded here`, { cause });
  });
  const model = await llama.loadModel({ modelPath: job.model });
  const context = await model.createContext({ contextSize, threads, sequences });
  const loadMs = performance.now() - start;
  const decoded = await decode({ model, context }, job);
  await llama.dispose();
  return { loadMs, ...decoded };
}

/** The low-level API: evaluates one token after the other for each sequence, without text. */
async function evaluateAll({ model, context }: Loaded, job: Job): Promise<Decoded> {
  const prompts = promptsOf(job).map((prompt) => model.tokenize(prompt));
  const started = prompts.map((tokens) => evaluation(context.getSequence(), tokens));
  const begin = performance.now();
  await Promise.all(started.map((tokens) => tokens.next()));
  const first = performance.now();
  const counts = await Promise.all(started.map((tokens) => take(tokens, job.tokens)));
  return {
    promptTokens: prompts.reduce((sum, { length }) => sum + length, 0),
    promptMs: first - begin,
    completionTokens: counts.reduce((sum, count) => sum + count, 0),
    decodeMs: performance.now() - first,
  };
}

function evaluation(sequence: LlamaContextSequence, tokens: Token[]): AsyncGenerator<Token, void> {
  return sequence.evaluate(tokens, { temperature: 0, yieldEogToken: true }) as AsyncGenerator<Token, void>;
}

async function take(tokens: AsyncGenerator<Token, void>, limit: number): Promise<number> {
  let count = 0;
  while (count < limit && (await tokens.next()).done !== true) count++;
  return count;
}

/**
 * The high-level API: a completion that passes on its text as it arrives, the nearest equivalent of a hook on tokens.
 */
async function complete({ model, context }: Loaded, job: Job): Promise<Decoded> {
  const { LlamaCompletion } = await import("node-llama-cpp");
  const sequence = context.getSequence();
  const completion = new LlamaCompletion({ contextSequence: sequence });
  const prompt = model.tokenize(job.prompt);
  let first: { readonly at: number; readonly tokens: number } | undefined;
  const begin = performance.now();
  await completion.generateCompletion(prompt, {
    maxTokens: job.tokens + 1,
    temperature: 0,
    onTextChunk: () => void (first ??= { at: performance.now(), tokens: sequence.tokenMeter.usedOutputTokens }),
  });
  if (first === undefined) throw new Error("the completion gave no text");
  return {
    promptTokens: prompt.length,
    promptMs: first.at - begin,
    completionTokens: sequence.tokenMeter.usedOutputTokens - first.tokens,
    decodeMs: performance.now() - first.at,
  };
}
