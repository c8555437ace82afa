// The MCP servers of --mcp: starts or connects to them, has their tools, and ends them.
import type * as client from "@modelcontextprotocol/client";
import type * as stdio from "@modelcontextprotocol/client/stdio";
import { unlessAborted } from "../../base/unless-aborted.js";
import { ownPackageJson } from "../../base/package-json.js";
import { messageOf } from "../../base/thrown.js";
import { type ErrorCode, LlamaHooksError, type Session, type SessionTool } from "../../index.js";
import type { McpTools } from "../../mcp/index.js";
import type { McpServer } from "../options/mcp-option.js";
import { sanitizeName } from "../process/sanitize.js";
import { ProcessTransport } from "./process-transport.js";

/** Milliseconds in which a server must answer for the first time: `npx` may have to download it before. */
const startMs = 120_000;
/** Milliseconds after which a program that does not answer the first request counts as one of the older protocol. */
const probeMs = 5_000;
/** The maximum number of bytes in a message over HTTP: as many as the client's buffer takes over stdio. */
const maxMessageBytes = 10 * 2 ** 20;
const name = "@modelcontextprotocol/client";

type Library = typeof client & typeof stdio;

interface Connected {
  readonly tools: McpTools;
  close(): Promise<unknown>;
}

/** The conditions under which servers are started. */
export interface McpStart {
  readonly signal: AbortSignal;
  /** Reports each problem that ends nothing: a tool that is left out, a changed list that cannot be read. */
  report(problem: string): void;
}

export class McpServers {
  readonly #connected: readonly Connected[];

  private constructor(connected: readonly Connected[]) {
    this.#connected = connected;
  }

  /** Starts all servers at once. If one fails, the others are ended. Errors: UNSUPPORTED; MCP_FAILED, MCP_LIMIT. */
  static async start(servers: readonly McpServer[], start: McpStart): Promise<McpServers> {
    if (servers.length === 0) return new McpServers([]);
    const library = await loadClient();
    const started = await Promise.allSettled(servers.map((server) => connect(server, library, start)));
    const all = new McpServers(started.flatMap((one) => (one.status === "fulfilled" ? [one.value] : [])));
    const failed = started.find((one) => one.status === "rejected");
    if (failed === undefined) return all;
    await all.close();
    throw failed.reason;
  }

  /** The tools as the servers have them now. */
  get tools(): readonly SessionTool[] {
    return this.#connected.flatMap(({ tools }) => tools.tools);
  }

  /** Keeps the tools of a session up to date when servers change their lists. */
  follow(session: Session, others: readonly SessionTool[]): void {
    for (const { tools } of this.#connected) tools.follow(session, () => [...others, ...this.tools]);
  }

  /** Ends the servers. A second call is a no-op. */
  async close(): Promise<void> {
    await Promise.all(this.#connected.map((one) => one.close()));
  }
}

async function loadClient(): Promise<Library> {
  try {
    const modules = [import("@modelcontextprotocol/client"), import("@modelcontextprotocol/client/stdio")] as const;
    const [main, programs] = await Promise.all(modules);
    return { ...main, ...programs };
  } catch (cause) {
    throw new LlamaHooksError("UNSUPPORTED", `--mcp needs the package ${name}: npm install ${name}`, { cause });
  }
}

async function connect(server: McpServer, library: Library, start: McpStart): Promise<Connected> {
  const { limitedFetch } = await import("../../mcp/index.js");
  const { target } = server;
  if (target instanceof URL) {
    const fetch = limitedFetch(maxMessageBytes);
    const transport = new library.StreamableHTTPClientTransport(target, { fetch });
    // Over HTTP no answer is an error, and no sign of the older protocol. exactOptionalPropertyTypes refuses the
    // transports of the client library, whose handlers may be undefined.
    return connectBy(transport as client.Transport, negotiated(startMs), server, library, start);
  }
  const program = new ProcessTransport(target, library);
  try {
    return await connectBy(program, negotiated(probeMs), server, library, start);
  } catch (error) {
    if (start.signal.aborted || !program.endedSilently) throw error;
    // Programs of the older protocol may end on a request before the handshake.
    return connectBy(new ProcessTransport(target, library), {}, server, library, start);
  }
}

/** Servers of the protocol of 2026 have no handshake; which one it is shows in the answer to a first request. */
const negotiated = (timeoutMs: number): client.ClientOptions => ({
  versionNegotiation: { mode: "auto", probe: { timeoutMs } },
});

async function connectBy(
  transport: client.Transport,
  negotiation: client.ClientOptions,
  server: McpServer,
  { Client }: Library,
  { signal, report: tell }: McpStart,
): Promise<Connected> {
  const { mcpTools } = await import("../../mcp/index.js");
  const say = (problem: string): void => tell(`--mcp ${server.text}: ${problem}`);
  const caller = new Client(
    { name: "llama-hooks", version: ownPackageJson().version },
    { capabilities: { elicitation: { form: {} } }, ...negotiation },
  );
  try {
    const connection = caller.connect(transport, { timeout: startMs });
    await unlessAborted(connection, signal);
    const options = { ...(server.name !== undefined && { prefix: server.name }), listTimeoutMs: startMs };
    const listing = mcpTools(caller, { ...options, onWarning: ({ message }) => say(message) });
    const tools = await unlessAborted(listing, signal);
    for (const skipped of tools.skipped) say(`the tool ${sanitizeName(skipped.name)} is left out: ${skipped.reason}`);
    return { tools, close: () => tools.close().then(() => caller.close()) };
  } catch (error) {
    await caller.close();
    await transport.close();
    if (signal.aborted) throw error;
    throw failure(server, error, transport instanceof ProcessTransport ? transport.lastWords : "");
  }
}

function failure({ text }: McpServer, error: unknown, lastWords: string): LlamaHooksError {
  const code: ErrorCode = error instanceof LlamaHooksError ? error.code : "MCP_FAILED";
  return new LlamaHooksError(code, `--mcp ${text}: ${messageOf(error)}${lastWords}`, { cause: error });
}
