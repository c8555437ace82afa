// A transport of MCP to a program that it starts. The client's transport leaves the program in the terminal's group,
// where ctrl-C ends it while the chat still runs. It also ends only the program, not the processes that `npx` has
// started for it.
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";
import type { JSONRPCMessage, ReadBuffer, Transport } from "@modelcontextprotocol/client";
import { endGroup, groupStart } from "../../base/platform-process.js";
import { onSignalExit } from "../process/signal-cleanup.js";

/** Milliseconds that a program has to end by itself, and then again after SIGTERM. */
const graceMs = 1000;
const keptStderr = 2000;

/** The parts of `@modelcontextprotocol/client`, which may be missing, that the transport uses. */
export interface Wire {
  readonly ReadBuffer: typeof ReadBuffer;
  readonly getDefaultEnvironment: () => Record<string, string>;
  readonly serializeMessage: (message: JSONRPCMessage) => string;
}

export class ProcessTransport implements Transport {
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: NonNullable<Transport["onmessage"]>;
  readonly #wire: Wire;
  readonly #words: readonly [string, ...string[]];
  readonly #buffer: ReadBuffer;
  readonly #kill = (): void => this.#signal("SIGKILL");
  #child: ChildProcess | undefined;
  #stderr = "";
  #failed = "";
  #signalled = false;
  #spoke = false;
  #ended = false;
  #forget: () => void = () => undefined;
  #closing: Promise<void> | undefined;

  constructor(words: readonly [string, ...string[]], wire: Wire) {
    this.#words = words;
    this.#wire = wire;
    this.#buffer = new wire.ReadBuffer();
  }

  /**
   * The client has no other sign than `pid` and `stderr` that a transport leads to a program: only then does it take
   * silence for the older protocol.
   */
  get pid(): number | null {
    return this.#child?.pid ?? null;
  }

  /** Null, because it is kept in `lastWords`. */
  get stderr(): null {
    return null;
  }

  /** The failure of the program itself, and the end of what it has written to stderr; empty if there is neither. */
  get lastWords(): string {
    const wrote = this.#stderr.trim();
    return `${this.#failed}${wrote === "" ? "" : `; it wrote: ${wrote}`}`;
  }

  /** True if the program was started, and has ended by itself without a message. */
  get endedSilently(): boolean {
    return this.#ended && !this.#spoke;
  }

  async start(): Promise<void> {
    const { file, args, options } = groupStart(this.#words);
    const child = spawn(file, args, { ...options, env: this.#wire.getDefaultEnvironment(), stdio: "pipe" });
    this.#child = child;
    child.stdin.on("error", (error) => this.onerror?.(error));
    child.stdout.on("data", (chunk: Buffer) => this.#take(chunk));
    child.stderr.setEncoding("utf8").on("data", (text: string) => {
      this.#stderr = (this.#stderr + text).slice(-keptStderr);
    });
    child.on("exit", (code, signal) => {
      this.#ended = this.#closing === undefined;
      if (code !== 0 && !this.#signalled) this.#failed = `; the program ended with ${signal ?? `exit code ${code}`}`;
    });
    child.on("close", () => {
      this.#child = undefined;
      this.#forget();
      this.onclose?.();
    });
    await once(child, "spawn");
    const forget = onSignalExit(this.#kill);
    process.on("exit", this.#kill);
    this.#forget = () => {
      process.off("exit", this.#kill);
      forget();
    };
    child.on("error", (error) => this.onerror?.(error));
  }

  async send(message: JSONRPCMessage): Promise<void> {
    const stdin = this.#child?.stdin;
    if (stdin?.writable !== true) throw new Error("the program has ended");
    if (!stdin.write(this.#wire.serializeMessage(message))) await once(stdin, "drain");
  }

  /** Ends the program and the programs that it has started. A second call is a no-op. */
  close(): Promise<void> {
    return (this.#closing ??= this.#close());
  }

  async #close(): Promise<void> {
    const child = this.#child;
    if (child?.pid === undefined) return;
    const isOver = (): boolean => child.exitCode !== null || child.signalCode !== null;
    const exit = isOver() ? Promise.resolve() : once(child, "exit");
    child.stdin?.end();
    for (const signal of ["SIGTERM", "SIGKILL"] as const) {
      await Promise.race([exit, sleep(graceMs, undefined, { ref: false })]);
      if (isOver()) break;
      this.#signalled = true;
      endGroup(child.pid, signal);
    }
    await exit;
    endGroup(child.pid, "SIGKILL"); // what the program has left behind
    for (const stream of [child.stdin, child.stdout, child.stderr]) stream?.destroy();
    this.#buffer.clear();
  }

  #take(chunk: Buffer): void {
    try {
      this.#buffer.append(chunk);
    } catch (error) {
      this.onerror?.(error as Error);
      void this.close(); // the message is too long
      return;
    }
    for (;;) {
      try {
        const message = this.#buffer.readMessage();
        if (message === null) return;
        this.#spoke = true;
        this.onmessage?.(message);
      } catch (error) {
        this.onerror?.(error as Error);
      }
    }
  }

  #signal(signal: NodeJS.Signals): void {
    if (this.#child?.pid !== undefined) endGroup(this.#child.pid, signal);
  }
}
