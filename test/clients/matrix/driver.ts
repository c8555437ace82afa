// The process of a client: it reads tasks, a line of JSON each, and writes the outcome of each as a line.
import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { cpSync, existsSync } from "node:fs";
import path from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { clients } from "../../support/integrations/clients.js";
import type { Outcome } from "./situations.js";

const drivers = fileURLToPath(new URL("drivers", import.meta.url));

const python = path.join(clients ?? "", "python", "bin", "python");
const libraries = path.join(clients ?? "", "libraries");

export type Language = "Python" | "JavaScript";

/** True if the clients of a language are installed. */
export const isInstalled = (language: Language): boolean =>
  clients !== undefined && existsSync(language === "Python" ? python : path.join(libraries, "node_modules"));

/** Modules are looked for from the file on, and Python writes its own beside them. */
const copies = path.join(libraries, "drivers");
let areCopied = false;

function copied(file: string): string {
  if (!areCopied) cpSync(drivers, copies, { recursive: true });
  areCopied = true;
  return path.join(copies, file);
}

export class Driver {
  readonly #child: ChildProcessWithoutNullStreams;
  readonly #lines: AsyncIterator<string>;
  #said = "";

  constructor(language: Language, file: string, variant: string) {
    const command = language === "Python" ? python : process.execPath;
    // Nothing may leave this machine, nor wait for what cannot be reached.
    const env = { LITELLM_LOCAL_MODEL_COST_MAP: "True", OPENAI_AGENTS_DISABLE_TRACING: "1" };
    this.#child = spawn(command, [copied(file), variant], { env: { ...process.env, ...env } });
    this.#child.stderr
      .setEncoding("utf8")
      .on("data", (text: string) => (this.#said = (this.#said + text).slice(-4000)));
    this.#lines = createInterface({ input: this.#child.stdout })[Symbol.asyncIterator]();
  }

  /** Resolves when the client has been loaded. */
  async ready(): Promise<void> {
    await this.#line();
  }

  /** Errors: with the client's own words. */
  async run(task: object): Promise<Outcome> {
    this.#child.stdin.write(`${JSON.stringify(task)}\n`);
    const outcome = JSON.parse(await this.#line()) as Outcome & { readonly error?: string };
    if (outcome.error !== undefined) throw new Error(outcome.error);
    return outcome;
  }

  async #line(): Promise<string> {
    const { value, done } = await this.#lines.next();
    if (done === true) throw new Error(`the client's process ended: ${this.#said}`);
    return value;
  }

  close(): void {
    this.#child.kill("SIGKILL");
  }
}
