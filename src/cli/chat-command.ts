// `llama-hooks chat`: a conversation with a model, its tools and hooks. Must not: touch the addon; it uses the package.
import path from "node:path";
import { bundledModel, defaultModelId, type HookStats, type RunResult, type TraceEvent } from "../index.js";
import { Agent } from "./agent.js";
import type { AgentOptions } from "./agent-options.js";
import { chatCommandNames, runChatCommand } from "./chat-commands.js";
import { Conversation } from "./chat-conversation.js";
import { ChatInput, type InputEnd } from "./chat-input.js";
import type { ChatMessage } from "./chat-lines.js";
import { exitCodes } from "./exit-codes.js";
import { failureOf } from "./error-text.js";
import { interruptible, stdoutClosed } from "./interrupt.js";
import { TextView } from "./run-view.js";
import { withTemporaryFolder } from "./temporary-folder.js";
import { Terminal } from "./terminal.js";
import { UsageError } from "./usage-error.js";

/**
 * Runs the command; gives the exit code: on a terminal the user has seen what failed, and leaving is a normal end; elsewhere it
 * is 1 if anything failed.
 */
export async function chat(options: AgentOptions): Promise<number> {
  const terminal = new Terminal();
  const input = new ChatInput(terminal, chatCommandNames);
  try {
    return await withTemporaryFolder("chat", (folder) => new Chat(options, terminal, input, folder).run());
  } finally {
    input.close();
  }
}

/** Shows the trace above the prompt: it may come when the answer has ended. */
class ChatView extends TextView {
  readonly #input: ChatInput;

  constructor(terminal: Terminal, input: ChatInput) {
    super(terminal);
    this.#input = input;
  }

  override trace(event: TraceEvent): void {
    this.#input.above(() => super.trace(event));
  }
}

class Chat {
  readonly #options: AgentOptions;
  readonly #terminal: Terminal;
  readonly #input: ChatInput;
  readonly #view: ChatView;
  readonly #folder: string;
  #hasFailed = false;

  constructor(options: AgentOptions, terminal: Terminal, input: ChatInput, folder: string) {
    this.#options = options;
    this.#terminal = terminal;
    this.#input = input;
    this.#view = new ChatView(terminal, input);
    this.#folder = folder;
  }

  async run(): Promise<number> {
    let agent: Agent | undefined;
    try {
      const conversation = await interruptible(async (signal) => {
        agent = await Agent.open(this.#options, this.#view);
        return this.#begin(agent, signal);
      });
      if (agent === undefined || conversation === undefined) return exitCodes.interrupted;
      return await this.#talk(agent, conversation);
    } catch (error) {
      if (error instanceof UsageError) throw error;
      this.#tell(error);
      return exitCodes.failed;
    } finally {
      await agent?.close();
    }
  }

  /** Undefined when that was interrupted. */
  async #begin(agent: Agent, signal: AbortSignal): Promise<Conversation | undefined> {
    const model = { id: defaultModelId, path: this.#options.model ?? bundledModel };
    if (this.#options.trace === true) agent.trace();
    try {
      // Before the model is loaded, so that what is wrong with options shows at once.
      const conversation = new Conversation(agent, this.#view, model, agent.system, this.#folder);
      await agent.load(model, signal);
      if (this.#input.isInteractive) this.#say(`${path.basename(model.path)}; /help says what there is, ctrl-D leaves`);
      return conversation;
    } catch (error) {
      if (signal.aborted) return undefined;
      throw error;
    }
  }

  async #talk(agent: Agent, conversation: Conversation): Promise<number> {
    for (;;) {
      const message = await interruptible((signal) => this.#input.next(signal));
      if (stdoutClosed.aborted) return exitCodes.interrupted;
      if (message === "interrupted" && this.#input.isInteractive) continue; // the input has seen to it
      if (typeof message === "string") return this.#end(message);
      const goesOn = await interruptible((signal) => this.#answer(message, agent, conversation, signal));
      if (!goesOn) return this.#end("end");
    }
  }

  #end(why: InputEnd): number {
    if (why === "interrupted") return exitCodes.interrupted;
    if (why === "unfinished")
      this.#tell(new UsageError('a block was opened with """ and not closed: it was not asked'));
    return this.#hasFailed && !this.#input.isInteractive ? exitCodes.failed : exitCodes.ok;
  }

  /** Whether the chat goes on, which it does when something fails. */
  async #answer(
    { text, isCommand }: ChatMessage,
    agent: Agent,
    conversation: Conversation,
    signal: AbortSignal,
  ): Promise<boolean> {
    if (text.trim() === "") return true;
    if (!this.#input.isInteractive) this.#view.start(text);
    const before = agent.engine.hooks.stats();
    try {
      const result = isCommand
        ? await runChatCommand(text, { conversation, agent, signal })
        : await conversation.ask(text, signal);
      if (result === "exit") return false;
      if ("finishReason" in result) this.#ended(result, before, agent.engine.hooks.stats());
      else for (const line of result) this.#say(line);
    } catch (error) {
      this.#tell(error);
    }
    return true;
  }

  #ended(result: RunResult, before: readonly HookStats[], now: readonly HookStats[]): void {
    if (result.limit !== null && result.limit !== "maxTokens") this.#hasFailed = true;
    const done = since(before, now);
    if (this.#options.trace === true) return this.#view.summary(result, done);
    const failures = done.reduce((sum, hook) => sum + hook.failures, 0);
    if (failures > 0) this.#warn(`${failures} failures of hooks; /hooks says which, and --trace how`);
  }

  #say(line: string): void {
    this.#terminal.note(this.#terminal.style("dim", line));
  }

  #warn(line: string): void {
    this.#terminal.note(this.#terminal.style("red", line));
  }

  #tell(error: unknown): void {
    this.#hasFailed = true;
    if (error instanceof UsageError) return this.#warn(error.message);
    const { code, message } = failureOf(error);
    this.#view.error(code, message);
  }
}

/** What hooks have done in between. */
function since(before: readonly HookStats[], now: readonly HookStats[]): HookStats[] {
  const earlier = new Map(before.map((hook) => [hook.id, hook]));
  return now.map((hook) => {
    const { calls = 0, modifications = 0, cancels = 0, failures = 0, totalUs = 0 } = earlier.get(hook.id) ?? {};
    return {
      ...hook,
      calls: hook.calls - calls,
      modifications: hook.modifications - modifications,
      cancels: hook.cancels - cancels,
      failures: hook.failures - failures,
      totalUs: hook.totalUs - totalUs,
    };
  });
}
