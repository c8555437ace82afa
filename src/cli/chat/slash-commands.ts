// The commands of a chat that begin with `/`.
import path from "node:path";
import { plural } from "../../base/plural.js";
import { wrap } from "../../base/wrap.js";
import type { Engine, HookInfo, RunResult } from "../../index.js";
import type { Agent } from "../agent/agent.js";
import type { Conversation } from "./conversation.js";
import { samplingNames, samplingOption } from "../options/agent-options.js";
import { expandHome } from "../options/option-parsers.js";
import { hookCounts } from "../view/hook-counts.js";
import { isOwnHook } from "../view/own-hooks.js";
import { UsageError } from "../process/exit.js";

/** The input of a command: the chat, and the text after the command's name. */
export interface ChatCommandContext {
  readonly conversation: Conversation;
  readonly agent: Agent;
  readonly rest: string;
  readonly signal: AbortSignal;
}

/** Lines to show, the result of a run, or the end of the chat. */
export type ChatCommandResult = readonly string[] | RunResult | "exit";

interface ChatCommand {
  readonly takes?: string;
  readonly what: string;
  run(context: ChatCommandContext): Promise<ChatCommandResult> | ChatCommandResult;
}

const commands: Readonly<Record<string, ChatCommand>> = {
  "/help": { what: "list the commands", run: () => help() },
  "/system": {
    takes: "[text]",
    what: "set the system prompt; without text: show it",
    run: async ({ conversation, agent, rest }) => {
      if (rest === "") return [conversation.system ?? "no system prompt"];
      await conversation.setSystem(rest);
      const tiers = agent.tiersWithSystem;
      const others = tiers.length === 0 ? "" : `; of the tiers, these keep their own: ${tiers.join(", ")}`;
      return [`the system prompt applies from the next message on${others}`];
    },
  },
  "/model": {
    takes: "[name or path]",
    what: "load another model; without a name: show this one",
    run: async ({ conversation, rest, signal }) => {
      if (rest === "") return [conversation.modelPath];
      await conversation.switchModel(expandHome(rest), signal);
      return [`${path.basename(rest)} goes on from here, after ${messages(conversation)}`];
    },
  },
  "/save": {
    takes: "FILE",
    what: "write the conversation to a file",
    run: async ({ conversation, rest }) => {
      await conversation.save(fileOf("/save", rest));
      return [`saved ${messages(conversation)} to ${rest}`];
    },
  },
  "/load": {
    takes: "FILE",
    what: "go on with a saved conversation, in place of this one",
    run: async ({ conversation, rest }) => {
      await conversation.restore(fileOf("/load", rest));
      return [`loaded ${messages(conversation)} from ${rest}`];
    },
  },
  "/clear": {
    what: "begin a new conversation with the same settings",
    run: async ({ conversation }) => {
      await conversation.clear();
      return ["a new conversation begins"];
    },
  },
  "/set": {
    takes: "[NAME VALUE]",
    what: "set, reset (VALUE default) or list sampling parameters",
    run: ({ agent, rest }) => {
      const [name, value] = split(rest);
      if (name === "") return settings(agent);
      if (value === "") throw new UsageError("/set takes a name and a value: /set NAME VALUE");
      agent.setSampling(name, value === "default" ? undefined : value);
      return [`${name}: ${value === "default" ? "as at the start of the chat" : value}, from the next message on`];
    },
  },
  "/hooks": { what: "list the hooks, and what they have done", run: ({ agent }) => hookLines(agent.engine) },
  "/retry": {
    what: "send the last message again, without its answer",
    run: ({ conversation, signal }) => conversation.retry(signal),
  },
  "/exit": { what: "leave, as ctrl-D does", run: () => "exit" },
};

export const chatCommandNames: readonly string[] = Object.keys(commands);

/** Runs the command that a message names. Errors: UsageError, and the errors of the command itself. */
export async function runChatCommand(
  text: string,
  context: Omit<ChatCommandContext, "rest">,
): Promise<ChatCommandResult> {
  const [name = "", rest = ""] = split(text);
  const command = Object.hasOwn(commands, name) ? commands[name] : undefined;
  if (command === undefined) throw new UsageError(`unknown command ${name}; /help lists the commands`);
  if (command.takes === undefined && rest !== "") throw new UsageError(`${name} takes no argument`);
  return command.run({ ...context, rest });
}

/** Splits a message into its first word and the rest. */
function split(text: string): [name: string, rest: string] {
  const name = /^\S*/.exec(text)?.[0] ?? "";
  return [name, text.slice(name.length).trim()];
}

/** The sampling options that the user has set, and the names of the others. */
function settings({ sampling }: Agent): string[] {
  const given = Object.entries(sampling).map(([name, value]) => `${samplingOption(name).name} ${String(value)}`);
  const others = samplingNames.filter((name) => !(samplingOption(name).attribute in sampling));
  return [...given, ...wrap(`not set: ${others.join(", ")}`, 80)];
}

function fileOf(name: string, rest: string): string {
  if (rest === "") throw new UsageError(`${name} takes a file: ${name} FILE`);
  return path.resolve(expandHome(rest));
}

function messages({ length }: Conversation): string {
  return plural(length, "message");
}

function help(): string[] {
  const rows = Object.entries(commands).map(([name, { takes, what }]) => [[name, takes].join(" ").trim(), what]);
  const width = Math.max(...rows.map(([usage = ""]) => usage.length));
  return [
    ...rows.map(([usage = "", what = ""]) => `${usage.padEnd(width)}  ${what}`),
    "",
    'A line that ends with \\ goes on in the next one. Between two """ a message may',
    "have any lines, and begin with /; pasted lines are one message. ctrl-C stops",
    "an answer; at the prompt it clears the line, and twice it leaves.",
  ];
}

function hookLines(engine: Engine): string[] {
  const hooks = engine.hooks.list().filter((hook) => !isOwnHook(hook));
  if (hooks.length === 0) return ["no hooks; --hooks and --native add some"];
  const stats = new Map(engine.hooks.stats().map((one) => [one.id, one]));
  const width = (key: (hook: HookInfo) => string): number => Math.max(...hooks.map((hook) => key(hook).length));
  const [points, names] = [width(({ point }) => point), width(({ name }) => name)];
  return hooks.map(({ id, point, name }) => {
    const { calls = 0, modifications = 0, cancels: vetoes = 0, failures = 0 } = stats.get(id) ?? {};
    const did = hookCounts({ calls, modifications, vetoes, failures });
    return `${point.padEnd(points)}  ${name.padEnd(names)}  ${did}`;
  });
}
