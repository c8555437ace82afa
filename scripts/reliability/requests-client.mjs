// The client of requests-work.mjs: sends as many requests as its parent asks for, some at once, and tells how they were
// answered.
const url = process.argv[2];
const atOnce = 12;
const messages = [{ role: "user", content: "Hi" }];
const tool = { name: "weather", description: "The weather", parameters: { type: "object", properties: {} } };
const short = { model: "tiny", max_tokens: 4, messages };

/** Kinds of requests, in turn: path, body, the expected status, and whether the client leaves after the first bytes. */
const kinds = [
  { path: "/v1/chat/completions", body: short, status: 200 },
  { path: "/v1/chat/completions", body: { ...short, stream: true }, status: 200 },
  { path: "/v1/chat/completions", body: { ...short, max_tokens: 200, stream: true }, status: 200, leaves: true },
  { path: "/v1/chat/completions", body: { ...short, tools: [{ type: "function", function: tool }] }, status: 200 },
  { path: "/v1/messages", body: { ...short, stream: true }, status: 200 },
  { path: "/v1/responses", body: { model: "tiny", max_output_tokens: 4, input: "Hi", stream: true }, status: 200 },
  { path: "/v1/embeddings", body: { model: "tiny", input: "Hi", pooling: "mean" }, status: 200 },
  { path: "/v1/chat/completions", body: "{", status: 400 },
  { path: "/v1/chat/completions", body: { ...short, model: "other" }, status: 404 },
  { path: "/v1/messages/count_tokens", body: short, status: 200 },
];
let next = 0;

async function send({ path, body, status, leaves }, statuses, wrong) {
  const leaving = new AbortController();
  const response = await fetch(`${url}${path}`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: typeof body === "string" ? body : JSON.stringify(body),
    signal: leaving.signal,
  });
  statuses[response.status] = (statuses[response.status] ?? 0) + 1;
  if (leaves) {
    await response.body.getReader().read();
    leaving.abort();
    return;
  }
  const text = await response.text();
  if (response.status !== status && wrong.length < 20) wrong.push(`${path} ${response.status}: ${text.slice(0, 200)}`);
}

async function work(count) {
  const statuses = {};
  const wrong = [];
  let left = count;
  const one = async () => {
    while (left-- > 0) {
      const kind = kinds[next++ % kinds.length];
      await send(kind, statuses, wrong).catch((error) => wrong.length < 20 && wrong.push(`${kind.path} ${error}`));
    }
  };
  await Promise.all(Array.from({ length: atOnce }, one));
  return { statuses, wrong };
}

process.on("message", (count) => void work(count).then((reply) => process.send(reply)));
