// `llama-hooks run`: runs one prompt with a model, its tools and hooks.
import { fileURLToPath } from "node:url";
import { bundledModel, defaultModelId, type HookSet } from "../../index.js";
import { Agent } from "../agent/agent.js";
import { type AgentFiles, readAgentFiles } from "../agent/agent-files.js";
import { Keyboard } from "../chat/keyboard.js";
import { askPerson, isPersonThere } from "../chat/person.js";
import { type AgentOptions, demoWord } from "../options/agent-options.js";
import { failureOf } from "../process/error-text.js";
import { exitCodes, UsageError } from "../process/exit.js";
import { interruptible } from "../process/interrupt.js";
import { reportWarnings } from "../process/output.js";
import { PointCount } from "../view/point-count.js";
import { readPrompt } from "./prompt.js";
import { JsonView, type RunView, TextView } from "../view/run-view.js";
import { Terminal } from "../process/terminal.js";

export interface RunOptions extends AgentOptions {
  readonly prompt?: string;
  readonly json?: boolean;
  readonly demo?: boolean;
}

/**
 * The run shows two tool calls, one of which a hook stops, a task for another agent, a result that a hook changes, and
 * a completion.
 */
const demo = {
  prompt: "What is 12 * 7, and what does secrets.txt say? Have the scout check the weather in Oslo.",
  hooks: example("demo-hooks.mjs"),
  session: example("demo-session.mjs"),
  tools: [demoWord],
} as const;

function example(name: string): string {
  return fileURLToPath(new URL(`../../../examples/${name}`, import.meta.url));
}

/**
 * Runs the command and returns its exit code. A run that a hook cancels or halts ends normally. `argument`: the prompt
 * that precedes the options.
 */
export async function run(argument: string | undefined, given: RunOptions): Promise<number> {
  const asksForDemo = given.demo === true && argument === undefined && given.prompt === undefined;
  const prompt = asksForDemo ? demo.prompt : await readPrompt(argument, given.prompt);
  if (prompt === undefined)
    throw new UsageError("no prompt: give it as an argument, with --prompt or on stdin (or use --demo)");
  const view: RunView = given.json === true ? new JsonView() : new TextView(new Terminal());
  reportWarnings(view.warning.bind(view), { trace: given.trace === true || given.demo === true });
  const options: RunOptions = {
    ...given,
    ...(given.demo === true && { trace: true, tools: given.tools ?? demo.tools, hooks: [demo.hooks, ...given.hooks] }),
    ...(asksForDemo && { session: given.session ?? demo.session }),
  };
  try {
    const files = await readAgentFiles(options);
    return await interruptible(async (signal) => {
      try {
        return await runPrompt(prompt, options, files, view, signal);
      } catch (error) {
        if (!signal.aborted) throw error;
        view.interrupted();
        return exitCodes.interrupted;
      }
    });
  } catch (error) {
    if (error instanceof UsageError) throw error;
    view.error(failureOf(error));
    return exitCodes.failed;
  }
}

async function runPrompt(
  prompt: string,
  options: RunOptions,
  files: AgentFiles,
  view: RunView,
  signal: AbortSignal,
): Promise<number> {
  const terminal = new Terminal();
  const agent = await Agent.open(options, files, view, signal, personOf(options, terminal));
  let code: number = exitCodes.failed;
  let isTraceWritten = true;
  try {
    code = await runAgent(agent, prompt, options, view, signal);
  } catch (error) {
    if (signal.aborted || !stays(agent, options, terminal)) throw error;
    view.error(failureOf(error)); // the page shows the work before it
  } finally {
    const isPage = !signal.aborted && stays(agent, options, terminal);
    isTraceWritten = await agent.close(isPage ? () => untilInterrupted(terminal, signal) : undefined);
  }
  return isTraceWritten ? code : exitCodes.failed;
}

/** The person at the terminal answers when rules ask; a program that reads JSON lines answers with its own hooks. */
function personOf({ json }: RunOptions, terminal: Terminal): (() => Promise<HookSet>) | undefined {
  if (json === true || !isPersonThere()) return undefined;
  return () => {
    const keyboard = new Keyboard(() => undefined);
    keyboard.attach();
    keyboard.rest(); // until a question comes
    return askPerson(terminal, keyboard);
  };
}

/** On a terminal the page stays after the run, so that there is time to open it. */
function stays({ isInspected }: Agent, { json }: RunOptions, terminal: Terminal): boolean {
  return isInspected && json !== true && terminal.canCorrect;
}

async function untilInterrupted(terminal: Terminal, signal: AbortSignal): Promise<void> {
  if (signal.aborted) return; // while the engine was closed
  terminal.note(terminal.style("dim", "the inspector stays open; ctrl-C ends it"));
  const keepsAlive = setInterval(() => undefined, 2 ** 30);
  await new Promise((resolve) => signal.addEventListener("abort", resolve, { once: true }));
  clearInterval(keepsAlive);
}

async function runAgent(
  agent: Agent,
  prompt: string,
  options: RunOptions,
  view: RunView,
  signal: AbortSignal,
): Promise<number> {
  const model = { id: defaultModelId, path: options.model ?? bundledModel };
  const { engine } = agent;
  const count = options.demo === true ? new PointCount(engine) : undefined;
  agent.follow();
  // The session is opened before the model is loaded, so that invalid options fail at once.
  const session = agent.session(model);
  await agent.load(model, signal);
  view.start(prompt, model.path, engine.hooks);
  const run = session.run(prompt, { ...agent.sampling, signal });
  const result = await agent.show(run);
  const stats = engine.hooks.stats();
  await session.close();
  await engine.close();
  view.summary(result, stats, count?.summary());
  if (signal.aborted) return exitCodes.interrupted;
  return result.limit === null || result.limit === "maxTokens" ? exitCodes.ok : exitCodes.failed;
}
