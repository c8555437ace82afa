// The conversation of a chat: its session, its model, and the state before the last message.
import path from "node:path";
import type { RunResult, Session } from "../../index.js";
import type { Agent, AgentModel } from "../agent/agent.js";
import { UsageError } from "../process/exit.js";

/**
 * The model and the system prompt of a session are fixed. To change one of them, or to undo a turn, the conversation
 * saves its session to a file and continues in a new session: sessionEnd fires, and sessionStart fires at the next
 * message.
 */
export class Conversation {
  readonly #agent: Agent;
  readonly #folder: string;
  #model: AgentModel;
  #session: Session;
  #system: string | undefined;
  #models = 1;
  /** The last message. The conversation before it is saved in `#beforeAsked`. */
  #asked: string | undefined;

  /** The agent may load the model later. `folder`: for private temporary files. */
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

  /** The number of messages. */
  get length(): number {
    return this.#session.history().length;
  }

  async ask(text: string, signal: AbortSignal): Promise<RunResult> {
    await this.#session.save(this.#beforeAsked);
    this.#asked = text;
    return this.#run(text, signal);
  }

  /** Removes the last message and its answer, then asks it again. Errors: UsageError without a last message. */
  async retry(signal: AbortSignal): Promise<RunResult> {
    if (this.#asked === undefined)
      throw new UsageError("there is no message to ask again since the start, /clear or /load");
    await this.#goOnFrom(this.#beforeAsked);
    return this.#run(this.#asked, signal);
  }

  async save(file: string): Promise<void> {
    await this.#session.save(file);
  }

  /** Replaces the conversation with the one saved in the file. */
  async restore(file: string): Promise<void> {
    await this.#goOnFrom(file);
    this.#asked = undefined;
  }

  /** Starts a new conversation with the same system prompt and model. */
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

  /** Loads the new model beside the old one. The old one is unloaded after the conversation has switched. */
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

  /** Continues in a new session. If it cannot be opened, the old session stays. */
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
