// P31: what a turn of a long agent conversation costs outside the model: from `generate()` to the first batch, with 10
// tools, when two messages are new; and the first turn, of which nothing is remembered. llama-server gets the same
// conversation, if it is built.
//
// The figures are upper bounds: all the time of a call with one token that is not the model's.
// Must not: use the same conversation twice, or let its beginning change.
import { readFileSync } from "node:fs";
import { llamaServer, startLlamaServer } from "../llama-server.mjs";
import { toolList } from "./first-batch.mjs";
import { withEngines } from "./engine.mjs";

const tools = toolList(10);

/**
 * `cases`: by name, files of a chat template and of a model; `sizes`: in messages; `compared`: sizes at which llama-server
 * takes part. Returns the milliseconds of each turn, the first one first, by template and size: { ours, llamaServer }.
 */
export async function measure({ cases, sizes, compared, turns, ...options }) {
  const found = {};
  for (const [name, files] of Object.entries(cases)) {
    const job = { ...files, ...options };
    found[name] = { ours: await timesOfOurs(job, sizes, turns), llamaServer: {} };
    for (const size of llamaServer === undefined ? [] : compared)
      found[name].llamaServer[size] = await timesOfLlamaServer(job, size, Math.min(turns, 3));
  }
  return found;
}

/** The sizes take turns, so that what disturbs the machine disturbs each of them. */
function timesOfOurs(job, sizes, turns) {
  return withEngines(
    sizes.map(() => engineOptions(job)),
    async (engines) => {
      // JavaScript is compiled after some calls; llama-server is compiled from the start.
      const warm = talk(conversation(10, "You keep the log of the harbour."), outsideModel(engines[0]));
      for (let turn = 0; turn < 2 * turns; turn++) await warm.turn();
      const talks = sizes.map((size, at) => talk(conversation(size), outsideModel(engines[at])));
      for (let turn = 0; turn <= turns; turn++) for (const { turn: take } of talks) await take();
      return Object.fromEntries(sizes.map((size, at) => [size, talks[at].times]));
    },
  );
}

function engineOptions({ template, ...options }) {
  return { ...options, chatTemplate: readFileSync(template, "utf8"), parallel: 1 };
}

async function timesOfLlamaServer({ template, ...options }, size, turns) {
  const flags = { "--chat-template-file": template, "--metrics": true };
  const server = await startLlamaServer(llamaServer, { ...options, streams: 1, flags });
  try {
    const { turn: take, times } = talk(conversation(size), (messages) => outsideTheirs(server.port, messages));
    for (let turn = 0; turn <= turns; turn++) await take();
    return times;
  } finally {
    server.end();
  }
}

/** A conversation whose turns have two new messages each, and the times of its turns. */
function talk(messages, timeOf) {
  const size = messages.length;
  const times = [];
  async function turn() {
    times.push(await timeOf(messages));
    const number = size + times.length;
    messages.push({ role: "assistant", content: `In turn ${number} it was calm.` }, question(number));
  }
  return { times, turn };
}

function outsideModel(engine) {
  return async (messages) => {
    const begin = performance.now();
    const { usage } = await engine.generate(messages, { tools, maxTokens: 1, temperature: 0 });
    return performance.now() - begin - usage.promptMs - usage.decodeMs;
  };
}

/** The same of llama-server, whose client makes the request's text before the clock starts. */
async function outsideTheirs(port, messages) {
  const body = JSON.stringify({
    messages: messages.map(openAiMessage),
    tools: tools.map(({ name, description, parameters }) => ({
      type: "function",
      function: { name, description, parameters },
    })),
    max_tokens: 1,
    temperature: 0,
  });
  const address = `http://127.0.0.1:${port}`;
  const before = await modelMs(address);
  const begin = performance.now();
  const headers = { "content-type": "application/json" };
  const answer = await fetch(`${address}/v1/chat/completions`, { method: "POST", headers, body });
  const text = await answer.text();
  const ms = performance.now() - begin;
  // It cannot read what a made-up model writes, but has done all the work then.
  if (!answer.ok && !text.includes("does not match the expected"))
    throw new Error(`llama-server answers ${answer.status}: ${text.slice(0, 300)}`);
  return ms - ((await modelMs(address)) - before);
}

/** The milliseconds that llama-server's model has computed. */
async function modelMs(address) {
  const text = await (await fetch(`${address}/metrics`)).text();
  const seconds = ["prompt_seconds_total", "tokens_predicted_seconds_total"].map((name) => {
    const found = new RegExp(`^llamacpp:${name} ([0-9.e+-]+)$`, "m").exec(text);
    if (found === null) throw new Error(`llama-server's metrics lack ${name}`);
    return Number(found[1]);
  });
  return (seconds[0] + seconds[1]) * 1000;
}

function openAiMessage({ role, content, toolCalls, toolCallId }) {
  return {
    role,
    content,
    ...(toolCallId !== undefined && { tool_call_id: toolCallId }),
    ...(toolCalls && {
      tool_calls: toolCalls.map(({ id, name, args }) => ({
        id,
        type: "function",
        function: { name, arguments: JSON.stringify(args) },
      })),
    }),
  };
}

function question(number) {
  return { role: "user", content: `What was the wind on day ${number}, and was there fog?` };
}

/** Questions, each with a call, its result and an answer; the last message is a question. */
function conversation(size, system = "You answer questions about the harbour.") {
  const messages = [{ role: "system", content: system }];
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
