// MCP servers for tests: the reference servers, and one that does whatever a test says, in raw JSON-RPC.
import { AsyncLocalStorage } from "node:async_hooks";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { Client, type ClientOptions, InMemoryTransport, type Transport } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { afterAll, beforeAll, onTestFinished } from "vitest";
import { createEngine, type Engine } from "../../../src/index.js";
import { mcpTools, type McpTools, type McpToolsOptions } from "../../../src/mcp/index.js";
import { writeScriptModel } from "../../../src/testing/index.js";

const packages = fileURLToPath(new URL("../../../node_modules/@modelcontextprotocol", import.meta.url));

/** The main file of a reference server. */
export const serverFile = (name: "everything" | "filesystem"): string => `${packages}/server-${name}/dist/index.js`;

/** A client that can be asked questions. */
export function newClient(options: ClientOptions = {}): Client {
  return new Client({ name: "test", version: "1.0.0" }, { capabilities: { elicitation: { form: {} } }, ...options });
}

/** A transport to a program that speaks MCP over its standard streams. */
export function stdio(...args: readonly string[]): StdioClientTransport {
  return new StdioClientTransport({ command: process.execPath, args: [...args], stderr: "ignore" });
}

/** A connected client, closed after the test. */
export async function connected(transport: Transport, options?: ClientOptions): Promise<Client> {
  const client = newClient(options);
  await client.connect(transport);
  onTestFinished(() => client.close());
  return client;
}

/** The tools of a client's server, closed after the test. */
export async function toolsOf(client: Client, options?: McpToolsOptions): Promise<McpTools> {
  const tools = await mcpTools(client, options);
  onTestFinished(() => tools.close());
  return tools;
}

/** A message of JSON-RPC. */
export interface Message {
  readonly id?: number | string;
  readonly method?: string;
  readonly params?: Readonly<Record<string, unknown>>;
  readonly result?: unknown;
  readonly error?: unknown;
}

/** Answers a request: with a result, or with a promise of one. What it throws is the error. */
export type Answer = (params: Record<string, unknown>, request: Message) => unknown;

export interface RawServer {
  readonly client: Client;
  /** What the client sent, the oldest first. */
  readonly received: readonly Message[];
  /** Sends any message to the client. */
  send(message: object): void;
  /** Sends a request and resolves with the client's answer. */
  ask(method: string, params: object): Promise<Message>;
  /** Resolves with the first message for which `is` holds, now or later. */
  got(is: (message: Message) => boolean): Promise<Message>;
  /** Breaks off the connection. */
  end(): Promise<void>;
}

/** The server works outside of the client's async contexts, as one in another process does. */
const outside = AsyncLocalStorage.snapshot();

/** A server in this process that answers what the test says. It has tools, and tells of their changes. */
export async function rawServer(
  answers: Readonly<Record<string, Answer>>,
  capabilities: object = { tools: { listChanged: true } },
  options?: ClientOptions,
): Promise<RawServer> {
  const [near, far] = InMemoryTransport.createLinkedPair();
  const received: Message[] = [];
  const waits = new Set<(message: Message) => void>();
  const send = (message: object): void =>
    void outside(() => far.send({ jsonrpc: "2.0", ...message } as never)).catch(() => undefined);
  const all: Readonly<Record<string, Answer>> = {
    initialize: ({ protocolVersion }) => ({ protocolVersion, capabilities, serverInfo: { name: "raw", version: "1" } }),
    ping: () => ({}),
    ...answers,
  };
  // oxlint-disable-next-line unicorn/prefer-add-event-listener -- a transport of MCP has this only
  far.onmessage = (message): void => outside(take, message as Message);
  const take = (one: Message): void => {
    received.push(one);
    for (const wait of waits) wait(one);
    const { id, method, params = {} } = one;
    if (id === undefined || method === undefined) return;
    const answer = all[method];
    if (answer === undefined) return send({ id, error: { code: -32601, message: `no method ${method}` } });
    Promise.resolve()
      .then(() => answer(params, one))
      .then(
        (result) => void (result !== undefined && send({ id, result })),
        (error: Error) => send({ id, error: { code: -32000, message: error.message } }),
      );
  };
  await far.start();
  const client = await connected(near, options);
  const got = (is: (message: Message) => boolean): Promise<Message> => {
    const before = received.find(is);
    if (before !== undefined) return Promise.resolve(before);
    return new Promise((resolve) => {
      const wait = (message: Message): void => {
        if (!is(message)) return;
        waits.delete(wait);
        resolve(message);
      };
      waits.add(wait);
    });
  };
  let asked = 0;
  const ask = (method: string, params: object): Promise<Message> => {
    const id = `asked-${++asked}`;
    send({ id, method, params });
    return got((message) => message.id === id && message.method === undefined);
  };
  return { client, received, send, ask, got, end: () => far.close() };
}

/** An entry of a list of tools. */
export function entry(name: string, more: object = {}): object {
  return { name, inputSchema: { type: "object", properties: {} }, ...more };
}

/** A result of a call. */
export function text(said: string): object {
  return { content: [{ type: "text", text: said }] };
}

/** One engine for the tests of a file, whose model calls the tool `work` once in each session. */
export function workingEngine(): () => Engine {
  let folder = "";
  let engine: Engine | undefined;
  beforeAll(async () => {
    folder = await mkdtemp(path.join(tmpdir(), "llama-hooks-test-"));
    const model = path.join(folder, "work.gguf");
    await writeScriptModel(model, {
      replies: [{ toolCalls: [{ name: "work", args: {} }] }, "Done."],
      afterLast: "repeat",
    });
    engine = await createEngine({ model, gpu: false, threads: 1 });
  });
  afterAll(async () => {
    await engine?.close();
    await rm(folder, { recursive: true, force: true });
  });
  return () => engine as Engine;
}
