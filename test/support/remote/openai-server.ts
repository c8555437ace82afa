// A server that speaks the part of the OpenAI protocol that remote models need, and misbehaves on request. It answers
// with the given replies, by the number of the assistant's turns in the request, as a script model does.
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { onTestFinished } from "vitest";

/** An answer: a text, or what is sent. */
export type Reply =
  | string
  | {
      readonly text?: string;
      readonly reasoning?: string;
      readonly calls?: readonly { readonly id?: string; readonly name: string; readonly args: unknown }[];
      readonly finish?: string;
      /** Bytes of the tokens, in place of what the text would be. */
      readonly raw?: readonly (string | Uint8Array)[];
      /** Called in place of an answer. */
      readonly act?: (response: ServerResponse, request: IncomingMessage) => void | Promise<void>;
      /** Cuts the connection after so many pieces. */
      readonly cutAfter?: number;
      /** Milliseconds before each piece. */
      readonly paceMs?: number;
    };

export interface Request {
  readonly headers: IncomingMessage["headers"];
  readonly url: string;
  readonly body: {
    readonly messages: readonly { readonly role: string; readonly content: unknown }[];
    readonly [key: string]: unknown;
  };
}

export interface OpenaiServer {
  readonly url: string;
  readonly requests: Request[];
  readonly server: Server;
  /** Requests whose client has gone before their end. */
  readonly dropped: () => number;
}

const sleep = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

export async function openaiServer(replies: readonly Reply[] | ((request: Request) => Reply)): Promise<OpenaiServer> {
  const requests: Request[] = [];
  let dropped = 0;
  const server = createServer((request, response) => {
    response.on("close", () => (dropped += response.writableFinished ? 0 : 1));
    void (async () => {
      let text = "";
      for await (const chunk of request) text += String(chunk);
      const one = {
        headers: request.headers,
        url: request.url ?? "",
        body: JSON.parse(text || "{}") as Request["body"],
      };
      requests.push(one);
      const turns = one.body.messages.filter(({ role }) => role === "assistant").length;
      const reply = typeof replies === "function" ? replies(one) : (replies[turns] ?? "No more replies.");
      await send(response, request, typeof reply === "string" ? { text: reply } : reply, one);
    })().catch(() => response.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}/v1`, requests, server, dropped: () => dropped };
}

/** Cuts the connection when the client has what was sent. */
async function cut(response: ServerResponse): Promise<void> {
  await sleep(50);
  response.destroy();
}

async function send(
  response: ServerResponse,
  request: IncomingMessage,
  reply: Exclude<Reply, string>,
  { body }: Request,
): Promise<void> {
  if (reply.act !== undefined) return void (await reply.act(response, request));
  response.writeHead(200, { "content-type": "text/event-stream" });
  const chunk = (delta: object, more: object = {}): string =>
    `data: ${JSON.stringify({ id: "c", object: "chat.completion.chunk", created: 1, model: "m", choices: [{ index: 0, delta, finish_reason: null }], ...more })}\n\n`;
  const words = (text: string): string[] => text.match(/\s*\S+|\s+$/g) ?? [];
  const calls = (reply.calls ?? []).flatMap(({ id, name, args }, index) => {
    const json = typeof args === "string" ? args : JSON.stringify(args);
    const half = Math.ceil(json.length / 2);
    return [
      { tool_calls: [{ index, id: id ?? `call_${index}`, type: "function", function: { name, arguments: "" } }] },
      { tool_calls: [{ index, function: { arguments: json.slice(0, half) } }] },
      { tool_calls: [{ index, function: { arguments: json.slice(half) } }] },
    ];
  });
  const pieces: (string | Uint8Array)[] =
    reply.raw !== undefined
      ? [...reply.raw]
      : [
          chunk({ role: "assistant", content: "" }),
          ...words(reply.reasoning ?? "").map((word) => chunk({ reasoning_content: word })),
          ...words(reply.text ?? "").map((word) => chunk({ content: word })),
          ...calls.map((delta) => chunk(delta)),
        ];
  let sent = 0;
  for (const piece of pieces) {
    if (reply.cutAfter === sent) return cut(response);
    if (reply.paceMs !== undefined) await sleep(reply.paceMs);
    if (!response.write(piece)) await new Promise((resolve) => response.once("drain", resolve));
    sent++;
  }
  if (reply.cutAfter === sent) return cut(response);
  const finish = reply.finish ?? (reply.calls !== undefined ? "tool_calls" : "stop");
  const completion = words(reply.text ?? "").length + words(reply.reasoning ?? "").length + calls.length;
  const prompt = Math.ceil(JSON.stringify(body.messages).length / 5);
  if (reply.raw === undefined) {
    response.write(
      chunk({}, { choices: [{ index: 0, delta: {}, finish_reason: finish }] }) +
        chunk(
          {},
          {
            choices: [],
            usage: {
              prompt_tokens: prompt,
              completion_tokens: completion,
              total_tokens: prompt + completion,
              prompt_tokens_details: { cached_tokens: 2 },
              completion_tokens_details: { reasoning_tokens: words(reply.reasoning ?? "").length },
            },
          },
        ) +
        "data: [DONE]\n\n",
    );
  }
  response.end();
}
