// mcpTools(): the tools of a connected MCP server, and the sessions that follow their changes.
import { calledAt } from "../base/call-site.js";
import { isDeepStrictEqual } from "node:util";
import type { Client, McpSubscription } from "@modelcontextprotocol/client";
import { isObject, wrong } from "../base/check.js";
import { LlamaHooksError, type Session, type SessionEndEvent, type SessionTool, type Tool } from "../index.js";
import { OpenCalls } from "./calls.js";
import { Changes } from "./changes.js";
import { failed, Warnings } from "./failures.js";
import { listTools } from "./listing.js";
import { checkCapabilities, checkClient, checkOptions, type McpToolsOptions, type Setup } from "./options.js";
import { ownTools } from "./own-tools.js";
import { Replies } from "./replies.js";
import { answerQuestions } from "./questions.js";
import { type MadeTools, makeTools, type Server, type SkippedTool } from "./server-tools.js";

export type { SkippedTool } from "./server-tools.js";

/** A session, as far as its tools are concerned. */
type Follower = Pick<Session, "id" | "hooks" | "setTools">;

/** The tools of an MCP server. Ends with `close()`; the client stays open, and is the caller's to close. */
export interface McpTools extends AsyncDisposable {
  /** The tools as the server has them now, for `engine.session({ tools })`. */
  readonly tools: readonly Tool[];
  /** Tools of the server that are left out because they are wrong, and why. */
  readonly skipped: readonly SkippedTool[];
  /** The `origin` of the tools, which hooks and rules see. */
  readonly origin: string;
  /**
   * Sets the tools of a session now, and again whenever the server changes its list: before the next iteration of a run
   * that is under way. `tools` returns all tools of the session [those of this server]; give it if the session has
   * others, too. The session is followed until it is closed or the result is disposed of. If the session refuses
   * changed tools, it keeps the earlier ones, and `onWarning` is called. Errors: those of `session.setTools()`.
   */
  follow(session: Follower, tools?: () => readonly SessionTool[]): Disposable;
  /**
   * Lists the tools again. Sessions that follow get them, if they have changed. Errors, with nothing changed:
   * MCP_FAILED, MCP_LIMIT; CLOSED after `close()`.
   */
  refresh(): Promise<void>;
  /** Cancels the calls under way, and stops following and answering questions. The tools do not work any more. */
  close(): Promise<void>;
}

/** A client has one handler of each kind, so two could not share it. */
const used = new WeakSet<Client>();

/**
 * The tools of the server that a client of `@modelcontextprotocol/client` is connected to. Errors: `TypeError`;
 * MCP_FAILED, MCP_LIMIT; NOT_FOUND for a name in `allow` that the server does not have.
 *
 * @example
 * ```ts
 * const files = await mcpTools(client, { origin: "mcp:files", allow: ["read_file", "write_file"] });
 * const session = engine.session({
 *   tools: files.tools,
 *   permissions: [{ allow: "*", when: { origin: "mcp:files", "annotations.readOnlyHint": true } }],
 * });
 * ```
 */
export function mcpTools(client: Client, options?: McpToolsOptions): Promise<McpTools> {
  return calledAt(mcpTools, () => begin(client, options));
}

async function begin(client: Client, options?: McpToolsOptions): Promise<McpTools> {
  const setup = checkOptions(options);
  const given = checkClient(client);
  checkCapabilities(given, setup);
  if (used.has(given))
    throw new TypeError("The client of mcpTools() is in use by another mcpTools(): close that first");
  used.add(given);
  const tools = new ServerTools(given, setup);
  try {
    await tools.begin();
  } catch (error) {
    await tools.close();
    throw error;
  }
  return tools;
}

class ServerTools implements McpTools {
  readonly #server: Server;
  readonly #own: readonly Tool[];
  readonly #warnings: Warnings;
  readonly #followers = new Map<symbol, { readonly session: Follower; readonly tools: () => readonly SessionTool[] }>();
  readonly #changes = new Changes(
    () => this.#list(),
    (error) => this.#warn("a changed list of tools was not taken", error),
  );
  readonly #closing = new AbortController();
  #made: MadeTools = { tools: [], skipped: [] };
  #entries: readonly unknown[] | undefined;
  #stopAnswering: () => void = () => undefined;
  #stopHearing: () => void = () => undefined;
  readonly #replies: Replies;
  #stopWatching: () => void = () => undefined;
  #subscription: McpSubscription | undefined;

  constructor(client: Client, setup: Setup) {
    this.#replies = new Replies(setup.origin);
    this.#server = { client, setup, calls: new OpenCalls(setup, this.#replies) };
    this.#own = ownTools(this.#server);
    this.#warnings = new Warnings(setup);
  }

  get tools(): readonly Tool[] {
    return this.#made.tools;
  }

  get skipped(): readonly SkippedTool[] {
    return this.#made.skipped;
  }

  get origin(): string {
    return this.#server.setup.origin;
  }

  async begin(): Promise<void> {
    const { client, setup } = this.#server;
    this.#stopWatching = this.#replies.watch(client);
    this.#stopAnswering = answerQuestions(this.#server, this.#warnings);
    await this.#hearOfChanges();
    await this.#changes.listed();
    const has = new Set(this.#entries?.map((entry) => (isObject(entry) ? entry["name"] : undefined)));
    for (const name of setup.allow ?? [])
      if (!has.has(name)) {
        const message = `the MCP server ${setup.origin} has no tool named ${JSON.stringify(name)}, which allow names`;
        throw new LlamaHooksError("NOT_FOUND", message, { param: "allow" });
      }
    if (client.transport === undefined) throw failed(setup.origin, "did not list its tools", "the connection is gone");
  }

  follow(session: Follower, tools: () => readonly SessionTool[] = () => this.tools): Disposable {
    if (typeof (session as Follower | undefined)?.setTools !== "function")
      throw wrong("The session of follow()", "a session", session);
    if (typeof tools !== "function") throw wrong("The tools of follow()", "a function that returns tools", tools);
    this.#checkOpen();
    session.setTools(tools());
    const key = Symbol();
    // A fork has the hook, too.
    const ends = ({ meta }: Pick<SessionEndEvent, "meta">): void => void (meta.sessionId === session.id && stop());
    const ended = session.hooks.on("sessionEnd", ends, { name: "mcpTools", fields: [] });
    const stop = (): void => {
      this.#followers.delete(key);
      ended[Symbol.dispose]();
    };
    this.#followers.set(key, { session, tools });
    return { [Symbol.dispose]: stop };
  }

  refresh(): Promise<void> {
    return calledAt(this.refresh, async () => {
      this.#checkOpen();
      if (this.#subscription === undefined) await this.#hearOfChanges();
      await this.#changes.listed();
    });
  }

  async close(): Promise<void> {
    if (this.#closing.signal.aborted) return;
    const reason = closed(this.origin);
    this.#closing.abort(reason);
    this.#changes.close();
    this.#followers.clear();
    this.#stopAnswering();
    this.#server.calls.stop(reason);
    this.#stopHearing();
    this.#stopWatching();
    used.delete(this.#server.client);
    await this.#subscription?.close();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  #checkOpen(): void {
    if (this.#closing.signal.aborted) throw closed(this.origin);
  }

  /**
   * Listens for changes of the lists. Servers of the 2026 protocol report them in a stream that the client requests;
   * earlier servers report them unrequested.
   */
  async #hearOfChanges(): Promise<void> {
    const { client, setup } = this.#server;
    if (client.getServerCapabilities()?.tools?.listChanged !== true) return;
    client.setNotificationHandler(changedTools, () => this.#changes.changed());
    this.#stopHearing = () => client.removeNotificationHandler(changedTools);
    if (client.getProtocolEra() !== "modern") return;
    const options = { signal: this.#closing.signal, timeout: setup.listTimeoutMs };
    const subscription = await client.listen({ toolsListChanged: true }, options).catch((error: unknown) => {
      throw failed(setup.origin, "did not take a subscription to changes of its tools", error);
    });
    this.#subscription = subscription;
    void subscription.closed.then(() => {
      if (this.#subscription === subscription) this.#subscription = undefined;
      this.#warn("changes of the tools are not told any more until refresh()", "the server ended the subscription");
    });
  }

  async #list(): Promise<void> {
    const lost = new AbortController();
    const signal = AbortSignal.any([this.#closing.signal, lost.signal]);
    const { client, setup } = this.#server;
    const stop = (reason: unknown): void => lost.abort(reason);
    const entries = await this.#replies.run(stop, () => listTools(client, setup, signal));
    if (areEqual(entries, this.#entries)) return;
    this.#made = makeTools(this.#server, entries, this.#own);
    this.#entries = entries;
    for (const [key, follower] of this.#followers) this.#set(key, follower);
  }

  #set(
    key: symbol,
    { session, tools }: { readonly session: Follower; readonly tools: () => readonly SessionTool[] },
  ): void {
    try {
      session.setTools(tools());
    } catch (error) {
      if (isGone(error)) this.#followers.delete(key);
      else this.#warn("a session did not take the changed tools", error);
    }
  }

  #warn(what: string, cause: unknown): void {
    if (this.#closing.signal.aborted) return;
    const why = cause instanceof Error ? cause.message : String(cause);
    this.#warnings.report(new LlamaHooksError("MCP_FAILED", `${what} (${this.origin}): ${why}`, { cause }));
  }
}

const changedTools = "notifications/tools/list_changed";

function closed(origin: string): LlamaHooksError {
  return new LlamaHooksError("CLOSED", `the tools of the MCP server ${origin} are closed`);
}

/** A list that is nested too deeply to be compared counts as another one. */
function areEqual(entries: readonly unknown[], before: readonly unknown[] | undefined): boolean {
  try {
    return isDeepStrictEqual(entries, before);
  } catch {
    return false;
  }
}

/** True if the session, or its engine, has been closed. */
function isGone(error: unknown): boolean {
  return error instanceof LlamaHooksError && (error.code === "NOT_FOUND" || error.code === "CLOSED");
}
