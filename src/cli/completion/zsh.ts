// The completion script for zsh; it needs only zsh's own completion system.
import { allCommands, type CompletedCommand, type CompletedOption, namesOfModels } from "./command-tree.js";

export function zshCompletion(name: string, program: CompletedCommand): string {
  const commands = allCommands(program);
  const known = commands.filter(({ words }) => words.length > 0).map(({ words }) => pattern(words));
  const id = `_${name.replaceAll("-", "_")}`;
  return `#compdef ${name}
# Completion of ${name} for zsh: source <(${name} completion zsh)
${id}_models() {
  local -a names
  names=(\${(f)"$(${name} ${namesOfModels} 2>/dev/null)"})
  compadd -a names
}
${id}_models_or_files() {
  _alternative "models:model:${id}_models" "files:file:_files"
}
${id}() {
  local at="" word
  local -a below
  for word in "\${(@)words[2,CURRENT-1]}"; do
    case "$at $word" in
      (${known.join("|")}) at="\${at:+$at }$word" ;;
    esac
  done
  case "$at" in
${commands.map((command) => branch(command, `${id}_models`)).join("\n")}
  esac
}
if [ "$funcstack[1]" = "${id}" ]; then ${id} "$@"; else compdef ${id} ${name}; fi
`;
}

/** The completions after the words of a command. */
function branch(command: CompletedCommand, models: string): string {
  const { words, commands, options } = command;
  const below = commands.map((command) => quoted(`${command.words.at(-1)}:${command.description}`));
  const specs = [...options.flatMap((option) => optionSpecs(option, models)), argumentSpec(command, models)].map(
    quoted,
  );
  return `    ("${words.join(" ")}")
${below.length > 0 ? `      below=(${below.join(" ")})\n      _describe command below\n` : ""}      _arguments ${specs.join(" ")} ;;`;
}

function argumentSpec({ commands, choices, takesModel }: CompletedCommand, models: string): string {
  if (takesModel) return `*:model:${models}`;
  if (choices.length > 0) return `*: :(${choices.join(" ")})`;
  return commands.length > 0 ? "*: :" : "*:file:_files";
}

/**
 * The specifications of an option for `_arguments`. Each option may be repeated; the command itself rejects a
 * repetition that makes no sense.
 */
function optionSpecs(
  { flags, description, takesValue, choices, takesModel }: CompletedOption,
  models: string,
): string[] {
  const files = takesModel ? `${models}_or_files` : "_files";
  const value = choices.length > 0 ? `(${choices.join(" ")})` : files;
  const takes = { always: `:value:${value}`, maybe: `::value:${value}`, never: "" }[takesValue];
  const ends = (flag: string): string => (flag.startsWith("--") && takesValue !== "never" ? "=" : "");
  return flags.map((flag) => `*${flag}${ends(flag)}[${description.replaceAll(/[\\[\]:]/g, "\\$&")}]${takes}`);
}

function pattern(words: readonly string[]): string {
  return words.length === 1 ? `" ${words[0]}"` : `"${words.join(" ")}"`;
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`;
}
