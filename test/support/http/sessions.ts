// A client of /sessions for tests.
import type { ServedSessions, ServeOptions } from "../../../src/server/index.js";
import type { Script } from "../engine.js";
import type { EngineOptions, SessionTool } from "../../../src/index.js";
import { asksUser, tools } from "../sessions.js";
import { openServer, type Served } from "./server.js";

/** One event of a run's stream. */
export interface StreamedEvent {
  readonly id: number;
  readonly type: string;
  // oxlint-disable-next-line typescript/no-explicit-any -- each type of event has its own members
  readonly data: any;
}

export interface SessionServer extends Served {
  /** Sends a request, and returns the status with the JSON of the answer. */
  // oxlint-disable-next-line typescript/no-explicit-any -- tests know the shape
  ask(method: string, path: string, body?: unknown, key?: string): Promise<{ status: number; body: any }>;
  /** Opens a session and returns its path. */
  opened(key?: string): Promise<string>;
  /** Starts a run and returns its events as they come. */
  run(path: string, input?: string, key?: string, signal?: AbortSignal): Promise<EventReader>;
}

export const agents = {
  helper: {
    tools: [...tools, asksUser as SessionTool],
    permissions: [{ ask: "weather" }, { allow: "*" }],
    temperature: 0,
  },
};

/** Serves sessions of an agent whose calls of `weather` somebody has to allow. */
export async function openSessions(
  script: Script,
  sessions: Partial<ServedSessions> = {},
  options: ServeOptions = {},
  engineOptions: EngineOptions = {},
): Promise<SessionServer> {
  const served = await openServer(script, { sessions: { agents, ...sessions }, ...options }, engineOptions);
  const headersOf = (key?: string) => (key === undefined ? {} : { authorization: `Bearer ${key}` });
  const ask: SessionServer["ask"] = async (method, path, body, key) => {
    const response = await fetch(`${served.server.origin}${path}`, {
      method,
      headers: { ...headersOf(key), ...(body !== undefined && { "content-type": "application/json" }) },
      ...(body !== undefined && { body: typeof body === "string" ? body : JSON.stringify(body) }),
    });
    return { status: response.status, body: await response.json() };
  };
  return {
    ...served,
    ask,
    async opened(key) {
      const { status, body } = await ask("POST", "/sessions", {}, key);
      if (status !== 201) throw new Error(`the session was not opened: ${JSON.stringify(body)}`);
      return `/sessions/${(body as { id: string }).id}`;
    },
    async run(path, input = "Hello", key, signal) {
      const response = await fetch(`${served.server.origin}${path}/runs`, {
        method: "POST",
        headers: { ...headersOf(key), "content-type": "application/json" },
        body: JSON.stringify({ input }),
        ...(signal !== undefined && { signal }),
      });
      if (!response.ok) throw new Error(`${response.status} ${await response.text()}`);
      return new EventReader(response);
    },
  };
}

/** Reads server-sent events from a response. */
export class EventReader {
  readonly response: Response;
  readonly comments: string[] = [];
  readonly #events: AsyncGenerator<StreamedEvent, void>;

  constructor(response: Response) {
    this.response = response;
    this.#events = this.#read();
  }

  /** Resolves with the next event of that type. */
  async next(type: string): Promise<StreamedEvent["data"]> {
    for (;;) {
      const { done, value } = await this.#events.next();
      if (done === true) throw new Error(`the stream ended without an event ${type}`);
      if (value.type === type) return value.data as unknown;
    }
  }

  /** The events that are left. */
  async rest(): Promise<StreamedEvent[]> {
    const events: StreamedEvent[] = [];
    for await (const event of this.#events) events.push(event);
    return events;
  }

  async *#read(): AsyncGenerator<StreamedEvent, void> {
    const decoder = new TextDecoder();
    let text = "";
    for await (const bytes of this.response.body as unknown as AsyncIterable<Uint8Array>) {
      text += decoder.decode(bytes, { stream: true });
      const blocks = text.split("\n\n");
      text = blocks.pop() ?? "";
      for (const block of blocks) {
        if (block.startsWith(":")) this.comments.push(block);
        else yield eventIn(block);
      }
    }
  }
}

function eventIn(block: string): StreamedEvent {
  const [, id, type, data] = /^id: (\d+)\nevent: (\w+)\ndata: (.*)$/.exec(block) ?? [];
  return { id: Number(id), type: type ?? "", data: JSON.parse(data ?? "null") as unknown };
}
