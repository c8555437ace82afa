// The conversation of a chat: a session, its model, and where its last turn began. Must not: know how it is typed or
// shown.
import path from "node:path";
import type { RunResult, Session } from "../../index.js";
import type { Agent, AgentModel } from "../agent/agent.js";
import { UsageError } from "../process/exit.js";

/**
 * A session's model and system prompt stand from its beginning to its end, so a change of either, and a step back, goes on in
 * a new session, from a file of the one before: sessionEnd fires, and sessionStart at the next message.
 */
export class Conversation {
  readonly #agent: Agent;
  readonly #folder: string;
  #model: AgentModel;
  #session: Session;
  #system: string | undefined;
  #models = 1;
  /** What was asked last; the file of the folder that is named for it has all that was said before. */
  #asked: string | undefined;

  /** The model is one that the agent has loaded, or is about to. `folder`: for files that nobody else sees. */
  constructor(agent: Agent, model: AgentModel, system: string | undefined, folder: string) {
    this.#agent = agent;
    this.#model = model;
    this.#system = system;
    this.#folder = folder;
    this.#session = agent.session(model);
  }

  get modelPath(): string {
    return this.#model.path;
  }

  get system(): string | undefined {
    return this.#system;
  }

  /** How many messages it has. */
  get length(): number {
    return this.#session.history().length;
  }

  async ask(text: string, signal: AbortSignal): Promise<RunResult> {
    await this.#session.save(this.#beforeAsked);
    this.#asked = text;
    return this.#run(text, signal);
  }

  /** Asks the last message again, as if it had not been asked. Errors: UsageError when there is none. */
  async retry(signal: AbortSignal): Promise<RunResult> {
    if (this.#asked === undefined)
      throw new UsageError("nothing was asked since the beginning, /clear or /load: there is nothing to ask again");
    await this.#goOnFrom(this.#beforeAsked);
    return this.#run(this.#asked, signal);
  }

  async save(file: string): Promise<void> {
    await this.#session.save(file);
  }

  /** Goes on from a file in place of what was said here. */
  async restore(file: string): Promise<void> {
    await this.#goOnFrom(file);
    this.#asked = undefined;
  }

  /** A new one, with the system prompt and the model of this one. */
  async clear(): Promise<void> {
    const before = this.#session;
    this.#session = this.#agent.session(this.#model, this.#systemOption);
    this.#asked = undefined;
    await before.close();
  }

  async setSystem(text: string): Promise<void> {
    const before = this.#system;
    this.#system = text;
    try {
      await this.#goOn();
    } catch (error) {
      this.#system = before;
      throw error;
    }
  }

  /** The new model is loaded beside the old one, which stays until the conversation has gone over to it. */
  async switchModel(modelPath: string, signal: AbortSignal): Promise<void> {
    const before = this.#model;
    const model = { id: `model-${(this.#models += 1)}`, path: modelPath };
    await this.#agent.load(model, signal);
    this.#model = model;
    try {
      await this.#goOn();
    } catch (error) {
      this.#model = before;
      await this.#agent.engine.models.unload(model.id);
      throw error;
    }
    await this.#agent.engine.models.unload(before.id);
  }

  get #beforeAsked(): string {
    return path.join(this.#folder, "before-asked.json");
  }

  async #goOn(): Promise<void> {
    const file = path.join(this.#folder, "now.json");
    await this.#session.save(file);
    await this.#goOnFrom(file);
  }

  /** In a new session; when it cannot be opened, the one before stays. */
  async #goOnFrom(file: string): Promise<void> {
    const before = this.#session;
    this.#session = this.#agent.session(this.#model, this.#systemOption, file);
    await before.close();
  }

  get #systemOption(): { system?: string } {
    return this.#system === undefined ? {} : { system: this.#system };
  }

  async #run(text: string, signal: AbortSignal): Promise<RunResult> {
    return this.#agent.show(this.#session.run(text, { ...this.#agent.sampling, signal }));
  }
}
