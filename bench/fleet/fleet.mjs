// A fleet of simulated servers behind a router, as an AI SDK language model: each node reads prompts and writes tokens
// at a pace, keeps the beginnings of the conversations that it served last, and may be down. No network takes part.
// Must not: know anything of the engine.

/** Streams get their pieces in so many groups, one after the other, so that they do not all come at once. */
const phases = 32;

function hashOf(text) {
  let hash = 0x811c9dc5; // FNV-1a
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193) >>> 0;
  return hash;
}

class Node {
  /** Tokens of the last prompts, by conversation, the oldest first. */
  #known = new Map();
  down = false;

  /** Tokens of the prompt that are cached; the prompt is cached from now on. */
  read(conversation, tokens, keeps) {
    const cached = Math.min(tokens, this.#known.get(conversation) ?? 0);
    this.#known.delete(conversation);
    this.#known.set(conversation, tokens);
    if (this.#known.size > keeps) this.#known.delete(this.#known.keys().next().value);
    return cached;
  }
}

export class Fleet {
  specificationVersion = "v3";
  provider = "fleet";
  modelId = "simulated";
  /** Prompt tokens read, how many of them were cached, requests, and requests that found their node down. */
  seen = { promptTokens: 0, cachedTokens: 0, requests: 0, refused: 0 };
  #nodes;
  #options;
  #turns = 0;
  /** Conversations whose node was down. */
  #moved = new Set();
  #streams = Array.from({ length: phases }, () => new Set());
  #phase = 0;
  #ticker;

  /**
   * `router`: "hash" sends a conversation to the same node, "random" anywhere. `promptRate`: prompt tokens a second,
   * `pace`: tokens a second of each answer; `answer`: its tokens; `keeps`: conversations that a node has cached;
   * `latencyMs`: of a request; `downShare`: of the nodes.
   */
  constructor({ nodes, router, promptRate, pace, answer, keeps, latencyMs, downShare }) {
    this.#nodes = Array.from({ length: nodes }, () => new Node());
    this.#nodes.forEach((node, index) => (node.down = index < nodes * downShare));
    this.#options = { router, promptRate, answer, keeps, latencyMs };
    this.#ticker = setInterval(() => this.#tick(), 1000 / pace / phases);
  }

  close() {
    clearInterval(this.#ticker);
  }

  async doStream({ prompt, headers = {}, abortSignal }) {
    const { router, promptRate, keeps, latencyMs, answer } = this.#options;
    this.seen.requests++;
    const conversation = headers["X-Session-ID"] ?? "";
    // As a router with health checks: a node that is down is found out by the first request of each conversation.
    let at = router === "hash" ? hashOf(conversation) : Math.floor(Math.random() * 2 ** 32);
    if (this.#nodes[at % this.#nodes.length].down && !this.#moved.has(conversation)) {
      this.#moved.add(conversation);
      this.seen.refused++;
      throw Object.assign(new TypeError("fetch failed"), {
        cause: Object.assign(new Error("refused"), { code: "ECONNREFUSED" }),
      });
    }
    while (this.#nodes[at % this.#nodes.length].down) at++;
    const tokens = Math.ceil(JSON.stringify(prompt).length / 4);
    const cached = this.#nodes[at % this.#nodes.length].read(conversation, tokens, keeps);
    this.seen.promptTokens += tokens;
    this.seen.cachedTokens += cached;
    await new Promise((resolve) => setTimeout(resolve, latencyMs + ((tokens - cached) / promptRate) * 1000));
    return { stream: this.#answer(tokens, cached, answer, abortSignal) };
  }

  #answer(tokens, cached, length, signal) {
    const group = this.#streams[this.#turns++ % phases];
    let stream;
    const body = new ReadableStream({
      start: (controller) => {
        controller.enqueue({ type: "stream-start", warnings: [] });
        stream = { controller, left: length, length, tokens, cached };
        group.add(stream);
      },
      cancel: () => void group.delete(stream),
    });
    signal?.addEventListener("abort", () => group.delete(stream));
    return body;
  }

  #tick() {
    const group = this.#streams[this.#phase++ % phases];
    // The text is the time, so that a reader sees how late it is.
    const piece = { type: "text-delta", id: "0", delta: ` ${performance.now().toFixed(2)}` };
    for (const stream of group) {
      stream.controller.enqueue(piece);
      if (--stream.left > 0) continue;
      group.delete(stream);
      stream.controller.enqueue({
        type: "finish",
        finishReason: { unified: "stop", raw: "stop" },
        usage: {
          inputTokens: { total: stream.tokens, cacheRead: stream.cached },
          outputTokens: { total: stream.length },
        },
      });
      stream.controller.close();
    }
  }
}
