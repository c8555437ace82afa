// The work of P25 and P26: questions, their options, and a client of the OpenAI protocol.
import { fork } from "node:child_process";
import { once } from "node:events";
import http from "node:http";
import { fileURLToPath } from "node:url";

const script = fileURLToPath(new URL("serving-process.mjs", import.meta.url));

/** The conversation of one stream. */
export function question(round, index) {
  return [{ role: "user", content: `Tell me story ${round * 1000 + index} about a fox.` }];
}

/** Samples the most likely tokens, and does not end before `tokens`. */
export function storyOptions(endTokens, tokens) {
  return { maxTokens: tokens, temperature: 0, logitBias: endTokens.map((token) => ({ token, bias: null })) };
}

/** Starts serving-process.mjs: { port, endTokens, ask(name, details), end() }. */
export async function startServing(job) {
  const child = fork(script, [JSON.stringify(job)], { execArgv: ["--expose-gc"] });
  const answer = async () => {
    const [message] = await Promise.race([
      once(child, "message"),
      once(child, "exit").then(([code]) => [{ error: `the serving process ended with ${code}` }]),
    ]);
    if (message.error !== undefined) throw new Error(message.error);
    return message;
  };
  return {
    ...(await answer()),
    ask(name, details = {}) {
      child.send({ ask: name, ...details });
      return answer();
    },
    end: () => child.kill("SIGKILL"),
  };
}

const keptAlive = new http.Agent({ keepAlive: true, maxSockets: Infinity });

/**
 * Streams one answer and returns { tokens, firstMs }: the server's count of tokens and the time to the first text. If
 * `agent` is false, the request gets a new connection.
 */
export function stream(port, messages, { tokens, endTokens, agent = keptAlive }) {
  const body = JSON.stringify({
    model: "default",
    messages,
    stream: true,
    stream_options: { include_usage: true },
    max_tokens: tokens,
    temperature: 0,
    logit_bias: Object.fromEntries(endTokens.map((token) => [token, -100])),
  });
  const headers = { "content-type": "application/json", "content-length": Buffer.byteLength(body) };
  return new Promise((resolve, reject) => {
    const begin = performance.now();
    const request = http.request({
      host: "127.0.0.1",
      port,
      path: "/v1/chat/completions",
      method: "POST",
      agent,
      headers,
    });
    request.on("error", reject).on("response", (response) => {
      let firstMs = Number.NaN;
      let end = "";
      response.setEncoding("utf8").on("error", reject);
      response.on("data", (text) => {
        if (Number.isNaN(firstMs) && /"content":"[^"]/.test(text)) firstMs = performance.now() - begin;
        end = (end + text).slice(-2000);
      });
      response.on("end", () => {
        const [, count] = /"completion_tokens":\s*(\d+)/.exec(end) ?? [];
        if (response.statusCode === 200 && count !== undefined) resolve({ tokens: Number(count), firstMs });
        else reject(new Error(`status ${response.statusCode}: ${end.slice(0, 300)}`));
      });
    });
    request.end(body);
  });
}

/** Milliseconds and tokens of all streams at once. */
export async function streamAll(port, { round, streams, ...options }) {
  const begin = performance.now();
  const answers = await Promise.all(
    Array.from({ length: streams }, (_, index) => stream(port, question(round, index), options)),
  );
  return { ms: performance.now() - begin, tokens: answers.reduce((sum, { tokens }) => sum + tokens, 0) };
}
