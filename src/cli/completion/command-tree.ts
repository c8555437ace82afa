// What can stand on the command line, as commander knows it. Must not: know shells.
import type { Command, Option } from "commander";
import { NumberOption } from "../options/option-parsers.js";

/** An option, with what may follow it. */
export interface CompletedOption {
  /** As they are written: `--json`, `-h`. */
  readonly flags: readonly string[];
  readonly description: string;
  /** "maybe": a value may be left out. */
  readonly takesValue: "always" | "maybe" | "never";
  readonly choices: readonly string[];
  /** The value may be the name of a fetched model. */
  readonly takesModel: boolean;
}

/** A command, or the program itself. */
export interface CompletedCommand {
  /** The words that name it, `["models", "rm"]`; none for the program. */
  readonly words: readonly string[];
  readonly description: string;
  readonly commands: readonly CompletedCommand[];
  readonly options: readonly CompletedOption[];
  /** What its arguments can be, where that is known. */
  readonly choices: readonly string[];
  /** Its argument is the name of a fetched model. */
  readonly takesModel: boolean;
}

/** What prints the names of fetched models, one a line. */
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
      // Commander itself adds it, and knows no values of its argument.
      .map((one) => (one.words.at(-1) === "help" ? { ...one, choices: others } : one)),
    options: help.visibleOptions(command).map(completedOption),
    choices: command.registeredArguments.flatMap(({ argChoices }) => argChoices ?? []),
    takesModel: words.join(" ") === "models rm",
  };
}

/** A command with all below it, itself first. */
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
