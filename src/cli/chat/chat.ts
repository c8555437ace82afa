// `llama-hooks chat`: a conversation with a model, its tools and hooks.
import path from "node:path";
import {
  bundledModel,
  defaultModelId,
  type HookSet,
  type HookStats,
  type RunResult,
  type TraceEvent,
} from "../../index.js";
import { Agent } from "../agent/agent.js";
import { type AgentFiles, readAgentFiles } from "../agent/agent-files.js";
import type { AgentOptions } from "../options/agent-options.js";
import { chatCommandNames, runChatCommand } from "./slash-commands.js";
import { Conversation } from "./conversation.js";
import { ChatInput, type InputEnd } from "./input.js";
import { askPerson } from "./person.js";
import type { ChatMessage } from "./message-lines.js";
import { errorLine, type Failure, failureOf } from "../process/error-text.js";
import { exitCodes, UsageError } from "../process/exit.js";
import { sanitize, sanitizeName } from "../process/sanitize.js";
import { interruptible } from "../process/interrupt.js";
import { stdoutLost, reportWarnings } from "../process/output.js";
import { TextView } from "../view/run-view.js";
import { withTemporaryFolder } from "../process/temporary-folder.js";
import { Terminal } from "../process/terminal.js";

/**
 * Runs the command and returns its exit code. On a terminal the user has seen every failure, so leaving the chat
 * returns 0. Otherwise the exit code is 1 if any message failed.
 */
export async function chat(options: AgentOptions): Promise<number> {
  const terminal = new Terminal();
  const input = new ChatInput(terminal, chatCommandNames);
  const view = new ChatView(terminal, input);
  reportWarnings(view.warning.bind(view), options);
  try {
    const files = await readAgentFiles(options);
    return await withTemporaryFolder("chat", (folder) =>
      new Chat({ options, files, terminal, input, view, folder }).run(),
    );
  } catch (error) {
    if (error instanceof UsageError) throw error;
    view.error(failureOf(error));
    return exitCodes.failed;
  } finally {
    input.close();
  }
}

/** Prints above the prompt, because trace events, failures and warnings may arrive after the answer has ended. */
class ChatView extends TextView {
  readonly #input: ChatInput;

  constructor(terminal: Terminal, input: ChatInput) {
    super(terminal, { showsPrompt: !input.isInteractive, showsFigures: input.isInteractive });
    this.#input = input;
  }

  override trace(event: TraceEvent, call: string | undefined): void {
    this.#input.above(() => super.trace(event, call));
  }

  override warning(warning: string | Failure): void {
    this.#input.above(() => super.warning(warning));
  }
}

/** The parts of a chat. */
interface ChatParts {
  readonly options: AgentOptions;
  readonly files: AgentFiles;
  readonly terminal: Terminal;
  readonly input: ChatInput;
  readonly view: ChatView;
  /** Private temporary files go here. */
  readonly folder: string;
}

class Chat {
  readonly #parts: ChatParts;
  readonly #terminal: Terminal;
  readonly #input: ChatInput;
  readonly #view: ChatView;
  #hasFailed = false;

  constructor(parts: ChatParts) {
    this.#parts = parts;
    this.#terminal = parts.terminal;
    this.#input = parts.input;
    this.#view = parts.view;
  }

  async run(): Promise<number> {
    let agent: Agent | undefined;
    let code: number = exitCodes.failed;
    let isTraceWritten: boolean | undefined;
    try {
      const conversation = await interruptible(async (signal) => {
        try {
          agent = await Agent.open(this.#parts.options, this.#parts.files, this.#view, signal, this.#person);
          return await this.#begin(agent, signal);
        } catch (error) {
          if (!signal.aborted) throw error;
          return undefined;
        }
      });
      if (agent === undefined || conversation === undefined) code = this.#end("interrupted");
      else code = await this.#talk(agent, conversation);
    } finally {
      isTraceWritten = await agent?.close();
    }
    return isTraceWritten === false ? exitCodes.failed : code;
  }

  /** The hooks that answer when rules ask; none without a terminal. */
  get #person(): (() => Promise<HookSet>) | undefined {
    return this.#input.isInteractive ? () => askPerson(this.#terminal, this.#input.keyboard) : undefined;
  }

  async #begin(agent: Agent, signal: AbortSignal): Promise<Conversation> {
    const model = { id: defaultModelId, path: this.#parts.options.model ?? bundledModel };
    agent.follow();
    // The session is opened before the model is loaded, so that invalid options fail at once.
    const conversation = new Conversation(agent, model, agent.system, this.#parts.folder);
    await agent.load(model, signal);
    const name = sanitizeName(path.basename(model.path));
    if (this.#input.isInteractive) this.#say(`${name}; /help lists the commands, ctrl-D leaves`);
    return conversation;
  }

  async #talk(agent: Agent, conversation: Conversation): Promise<number> {
    for (;;) {
      const message = await interruptible((signal) => this.#input.next(signal));
      if (stdoutLost.aborted) return exitCodes.interrupted;
      if (message === "interrupted" && this.#input.isInteractive) continue; // the input has handled it
      if (typeof message === "string") return this.#end(message);
      const continues = await interruptible((signal) => this.#answer(message, agent, conversation, signal));
      if (!continues) return this.#end("end");
    }
  }

  #end(why: InputEnd): number {
    if (why === "interrupted") {
      this.#view.interrupted();
      return exitCodes.interrupted;
    }
    if (why === "unfinished") this.#tell(new UsageError('the block that """ opened was not closed: it was not sent'));
    return this.#hasFailed && !this.#input.isInteractive ? exitCodes.failed : exitCodes.ok;
  }

  /** Answers a message, or runs a command. Returns false if the chat ends. A failure does not end it. */
  async #answer(
    { text, isCommand }: ChatMessage,
    agent: Agent,
    conversation: Conversation,
    signal: AbortSignal,
  ): Promise<boolean> {
    if (text.trim() === "") return true;
    this.#view.start(text, conversation.modelPath, agent.engine.hooks);
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
    if (this.#parts.options.trace === true) this.#view.summary(result, since(before, now));
  }

  #say(line: string): void {
    this.#terminal.note(this.#terminal.style("dim", sanitize(line)));
  }

  #tell(error: unknown): void {
    this.#hasFailed = true;
    if (error instanceof UsageError)
      this.#terminal.note(this.#terminal.style("red", errorLine(sanitize(error.message))));
    else this.#view.error(failureOf(error));
  }
}

/** The statistics of the hooks since `before`. */
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
