// P22: the cost of the agent loop. Compares a run of some iterations, each of which calls a tool, with the same model
// calls made by hand with `engine.generate()`, in pairs within one process.
//
// The model calls its tool each time (bench/run/calling-model.mjs), so the run ends at `maxIterations`. Both sides
// begin with an empty KV cache; prompts, cache hits and answers are the same, which is checked.
// Must not: do anything by hand that the run does not do, or vice versa.
import { tool } from "../../dist/index.js";
import { withEngine } from "./engine.mjs";

/**
 * `call`: { tool, argument, value } of the model. Returns milliseconds per pair, `run` and `byHand`; the parts in which
 * the model was idle, `runOutside` and `byHandOutside`; and the tokens of all calls of one side.
 */
export function measure({ model, gpu, threads, template, contextSize, call, iterations, pairs }) {
  // One sequence, and no memory to keep evicted conversations.
  const options = { model, gpu, threads, contextSize, chatTemplate: template, parallel: 1, cacheMemory: 0 };
  return withEngine(options, async (engine) => {
    const sides = { run, byHand };
    const times = { run: [], byHand: [], runOutside: [], byHandOutside: [] };
    const work = { tools: [lookUp(call)], iterations };
    let expected;
    // The first pair is not counted: code and pages are cold.
    for (let pair = 0; pair <= pairs; pair++) {
      for (const name of pair % 2 === 0 ? ["run", "byHand"] : ["byHand", "run"]) {
        await forget(engine);
        const { ms, usage, messages } = await sides[name](engine, work);
        const done = { usage: counted(usage), said: withoutIds(messages) };
        expected ??= done;
        check(expected, done);
        if (pair === 0) continue;
        times[name].push(ms);
        times[`${name}Outside`].push(ms - usage.promptMs - usage.decodeMs);
      }
    }
    return { iterations, ...times, ...expected.usage };
  });
}

/** Another prompt takes the only sequence. */
function forget(engine) {
  return engine.generate("Something else.", { raw: true, maxTokens: 1, temperature: 0 });
}

function lookUp({ tool: name, argument, value }) {
  return tool({
    name,
    description: "Looks up what stands under a code in the register of the harbour.",
    parameters: {
      type: "object",
      properties: { [argument]: { type: "string", pattern: `^([A-Z][0-9]){${value.length / 2}}$` } },
      required: [argument],
      additionalProperties: false,
    },
    run: () => "A ship from the north, with timber, due at noon.",
  });
}

const system = "You answer questions about the harbour. Look up what you do not know.";
const question = "Which ships are due today, and what do they bring?";
/** Limits that are never reached, except that of iterations. */
const limits = { maxCallsInARow: 1000, maxIdenticalCalls: 1000 };

async function run(engine, { tools, iterations }) {
  const session = engine.session({ system, tools, temperature: 0, maxIterations: iterations, ...limits });
  try {
    const begin = performance.now();
    const { usage, messages, toolCalls } = await session.run(question);
    const ms = performance.now() - begin;
    if (toolCalls.length !== iterations) throw new Error(`${toolCalls.length} tool calls in ${iterations} iterations`);
    return { ms, usage, messages };
  } finally {
    await session.close();
  }
}

async function byHand(engine, { tools, iterations }) {
  const specs = tools.map(({ name, description, parameters }) => ({ name, description, parameters }));
  const messages = [{ role: "user", content: question }];
  const usage = { promptTokens: 0, cachedTokens: 0, completionTokens: 0, promptMs: 0, decodeMs: 0 };
  const begin = performance.now();
  for (let iteration = 0; iteration < iterations; iteration++) {
    const conversation = [{ role: "system", content: system }, ...messages];
    const answer = await engine.generate(conversation, { tools: specs, temperature: 0 });
    for (const key of Object.keys(usage)) usage[key] += answer.usage[key];
    messages.push(...answer.messages);
    for (const { id, name, args } of answer.toolCalls) {
      const called = tools.find((one) => one.name === name);
      messages.push({ role: "tool", content: await called.run(args), toolCallId: id, toolName: name });
    }
  }
  return { ms: performance.now() - begin, usage, messages };
}

function counted({ promptTokens, cachedTokens, completionTokens }) {
  return { promptTokens, cachedTokens, completionTokens };
}

function withoutIds(messages) {
  return messages.map(({ role, content, toolCalls }) => [
    role,
    content,
    toolCalls?.map(({ name, args }) => [name, args]),
  ]);
}

function check(expected, found) {
  const [left, right] = [expected, found].map((one) => JSON.stringify(one));
  if (left !== right) throw new Error(`the two sides did not do the same: ${left} and ${right}`);
}
