// P31: what a turn of a long agent conversation costs outside the model: from `generate()` to the first batch, with 10
// tools, when two messages are new.
//
// The figures are upper bounds: all the time of a call with one token that is not the model's.
// Must not: use the same conversation twice, or let its beginning change.
import { readFileSync } from "node:fs";
import { toolList } from "./first-batch.mjs";
import { withEngine } from "./engine.mjs";

/**
 * `cases`: by name, files of a chat template and of a model; `sizes`: in messages. Returns the milliseconds of each turn,
 * by template and size.
 */
export async function measure({ cases, gpu, threads, sizes, turns, contextSize }) {
  const tools = toolList(10);
  const found = {};
  for (const [name, { template, model }] of Object.entries(cases)) {
    const chatTemplate = readFileSync(template, "utf8");
    found[name] = await withEngine({ model, gpu, threads, contextSize, chatTemplate, parallel: 1 }, async (engine) => {
      const bySize = {};
      for (const size of sizes) bySize[size] = await turnsOf(engine, size, turns, tools);
      return bySize;
    });
  }
  return found;
}

async function turnsOf(engine, size, turns, tools) {
  const messages = conversation(size);
  const times = [];
  for (let turn = 0; turn <= turns; turn++) {
    times.push(await outsideModel(engine, messages, tools));
    messages.push({ role: "assistant", content: `In turn ${turn} it was calm.` }, question(size + turn));
  }
  return times.slice(1);
}

async function outsideModel(engine, messages, tools) {
  const begin = performance.now();
  const { usage } = await engine.generate(messages, { tools, maxTokens: 1, temperature: 0 });
  return performance.now() - begin - usage.promptMs - usage.decodeMs;
}

function question(number) {
  return { role: "user", content: `What was the wind on day ${number}, and was there fog?` };
}

/** Questions, each with a call, its result and an answer; the last message is a question. */
function conversation(size) {
  const messages = [{ role: "system", content: "You answer questions about the harbour." }];
  for (let day = 1; messages.length < size - 4; day++) {
    const id = `call${String(day).padStart(5, "0")}`;
    messages.push(
      question(day),
      { role: "assistant", content: "", toolCalls: [{ id, name: "look_up_1", args: { name: `wind of day ${day}` } }] },
      { role: "tool", toolCallId: id, toolName: "look_up_1", content: `{"from": "west", "knots": ${day}}` },
      { role: "assistant", content: `On day ${day} it came from the west, with ${day} knots, and no fog.` },
    );
  }
  return [...messages, question(0)];
}
