// P17: the time from `generate()` to the moment at which the model begins to compute.
//
// No event marks that moment, but `usage.promptMs` runs from there to the first token. The rest of the time to the
// first token's event lies before it, or is the event's way to its reader, which is included: the figures are upper
// bounds. A raw prompt, without template and tools, shows how large that part is.
// Must not: use the same conversation twice; only a few tokens are new in each, and the model's work is not counted.
import { readFileSync } from "node:fs";
import { withEngine } from "./engine.mjs";

/** `cases`: { tools, messages } by name. Returns the milliseconds of each call except the first, by name. */
export function measure({ model, gpu, threads, template, contextSize, calls, cases }) {
  const chatTemplate = readFileSync(template, "utf8");
  return withEngine({ model, gpu, threads, contextSize, chatTemplate, parallel: 1 }, async (engine) => {
    const found = { raw: await timesOf(calls, (call) => untilBatch(engine, `Question ${call}`, { raw: true })) };
    for (const [name, { tools, messages }] of Object.entries(cases)) {
      const known = toolList(tools);
      found[name] = await timesOf(calls, (call) => untilBatch(engine, conversation(messages, call), { tools: known }));
    }
    return found;
  });
}

async function timesOf(calls, measureOne) {
  const times = [];
  for (let call = 0; call <= calls; call++) times.push(await measureOne(call));
  return times.slice(1);
}

async function untilBatch(engine, input, options) {
  const begin = performance.now();
  const generation = engine.generate(input, { ...options, maxTokens: 1, temperature: 0 });
  let first;
  for await (const { type } of generation) if (type === "token") first ??= performance.now();
  const { usage } = await generation;
  if (first === undefined) throw new Error("no token came");
  return first - begin - usage.promptMs;
}

/** Realistic tools: a description, some parameters with descriptions, a list of values. */
export function toolList(count) {
  const text = (description) => ({ type: "string", description });
  return Array.from({ length: count }, (_, index) => ({
    name: `look_up_${index + 1}`,
    description: `Looks something up in register ${index + 1} of the harbour and gives what stands there.`,
    parameters: {
      type: "object",
      properties: {
        name: text("What is looked up, by its full name"),
        day: text("The day, as in 2026-11-21"),
        unit: { type: "string", enum: ["metres", "knots", "hours"], description: "In what it is given" },
        limit: { type: "integer", minimum: 1, maximum: 50, description: "So many entries at most" },
      },
      required: ["name"],
    },
  }));
}

function conversation(count, call) {
  const turns = Array.from({ length: count - 2 }, (_, index) =>
    index % 2 === 0
      ? { role: "user", content: `What was the wind on day ${index}, and was there fog on the water?` }
      : { role: "assistant", content: `On day ${index} it came from the west, with 12 knots, and no fog.` },
  );
  return [
    { role: "system", content: "You answer questions about the harbour." },
    ...turns,
    { role: "user", content: `Question ${call}: and on the day after?` },
  ];
}
