// The commands and options that commander knows, as data for completion scripts of any shell.
import type { Command, Option } from "commander";
import { NumberOption } from "../options/option-parsers.js";

/** An option and the values that may follow it. */
export interface CompletedOption {
  /** The written forms of the option: `--json`, `-h`. */
  readonly flags: readonly string[];
  readonly description: string;
  /** "maybe": the value may be omitted. */
  readonly takesValue: "always" | "maybe" | "never";
  readonly choices: readonly string[];
  /** The value may be the name of a downloaded model. */
  readonly takesModel: boolean;
}

/** A command, or the program itself. */
export interface CompletedCommand {
  /** The words that name the command, `["models", "rm"]`; empty for the program. */
  readonly words: readonly string[];
  readonly description: string;
  readonly commands: readonly CompletedCommand[];
  readonly options: readonly CompletedOption[];
  /** The values of its arguments, if they are known. */
  readonly choices: readonly string[];
  /** The argument is the name of a downloaded model. */
  readonly takesModel: boolean;
}

/** The command that prints the names of downloaded models, one per line. */
export const namesOfModels = "models --names";

export function completionTree(command: Command, words: readonly string[] = []): CompletedCommand {
  const help = command.createHelp();
  const visible = help.visibleCommands(command);
  const others = visible.map((one) => one.name()).filter((name) => name !== "help");
  return {
    words,
    description: command.description(),
    commands: visible
      .map((one) => completionTree(one, [...words, one.name()]))
      // Commander itself adds `help`, without values for its argument.
      .map((one) => (one.words.at(-1) === "help" ? { ...one, choices: others } : one)),
    options: help.visibleOptions(command).map(completedOption),
    choices: command.registeredArguments.flatMap(({ argChoices }) => argChoices ?? []),
    takesModel: words.join(" ") === "models rm",
  };
}

/** Lists a command, then all commands below it. */
export function allCommands(command: CompletedCommand): CompletedCommand[] {
  return [command, ...command.commands.flatMap(allCommands)];
}

function completedOption(option: Option): CompletedOption {
  const { short, long, description, required, optional, argChoices } = option;
  return {
    flags: [short, long].filter((flag) => flag !== undefined),
    description,
    takesValue: required ? "always" : optional ? "maybe" : "never",
    choices: option instanceof NumberOption ? option.offers : (argChoices ?? []),
    takesModel: long === "--model",
  };
}
