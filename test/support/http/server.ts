// Servers for tests: on a free port, closed after the test, with the client of OpenAI for them.
import OpenAI from "openai";
import { onTestFinished } from "vitest";
import type { Engine, EngineOptions } from "../../../src/index.js";
import { type HttpServer, serve, type ServeOptions } from "../../../src/server/index.js";
import { openEngine, type Script } from "../engine.js";

export interface Served {
  readonly engine: Engine;
  readonly server: HttpServer;
  readonly client: OpenAI;
  /** Sends JSON to a path. */
  post(path: string, body: unknown, headers?: Readonly<Record<string, string>>): Promise<Response>;
}

/** Serves a script on a free port. */
export async function openServer(
  script: Script = ["Hello there."],
  options: ServeOptions = {},
  engineOptions: EngineOptions = {},
): Promise<Served> {
  return serveEngine(await openEngine(script, engineOptions), options);
}

/** Serves an engine on a free port. */
export async function serveEngine(engine: Engine, options: ServeOptions = {}): Promise<Served> {
  const server = await serve(engine, { port: 0, ...options });
  onTestFinished(() => server.close());
  return {
    engine,
    server,
    client: clientOf(server, options.keys?.[0]?.key),
    post: (path, body, headers = {}) =>
      fetch(`${server.origin}${path}`, {
        method: "POST",
        headers: { "content-type": "application/json", ...headers },
        body: typeof body === "string" ? body : JSON.stringify(body),
      }),
  };
}

/** The client of OpenAI, which tries nothing twice. */
export function clientOf({ url }: Pick<HttpServer, "url">, apiKey = "none"): OpenAI {
  return new OpenAI({ baseURL: url, apiKey, maxRetries: 0 });
}

/** A request for a chat completion with one message. */
export function chatOf(
  more: object = {},
  content = "Hi",
): { model: string; messages: { role: "user"; content: string }[] } {
  return { model: "default", messages: [{ role: "user", content }], ...more };
}

/** The data of server-sent events, with the names of those that have one. */
export function eventsOf(text: string): { event?: string; data: unknown }[] {
  return text
    .split("\n\n")
    .filter((block) => block !== "" && !block.startsWith(":"))
    .map((block) => {
      const event = /^event: (.*)$/m.exec(block)?.[1];
      const data = /^data: (.*)$/m.exec(block)?.[1] ?? "";
      return { ...(event !== undefined && { event }), data: data === "[DONE]" ? data : (JSON.parse(data) as unknown) };
    });
}

/** The error of an answer, without its message. */
export async function refusalOf(response: Response): Promise<unknown[]> {
  const { error } = (await response.json()) as { error: Record<string, unknown> };
  return [response.status, error["type"], error["code"], error["param"]];
}

/** A tool, as requests have it. */
export const weather = {
  type: "function",
  function: {
    name: "weather",
    description: "The weather in a city",
    parameters: { type: "object", properties: { city: { type: "string" } }, required: ["city"] },
  },
} as const;

/** A reply that calls it. */
export const asksWeather = { toolCalls: [{ name: "weather", args: { city: "Oslo" } }] };
