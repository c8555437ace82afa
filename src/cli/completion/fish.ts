// The completion script for fish; it needs nothing else.
import { allCommands, type CompletedCommand, type CompletedOption, namesOfModels } from "./command-tree.js";

/** If no completion fits, fish completes file names. */
export function fishCompletion(name: string, program: CompletedCommand): string {
  const models = `-a '(${name} ${namesOfModels} 2>/dev/null)'`;
  const lines = allCommands(program).flatMap((command) => {
    const complete = `complete -c ${name} -n ${quoted(condition(command))}`;
    return [
      ...command.commands.map(
        ({ words, description }) => `${complete} -f -a ${words.at(-1)} -d ${quoted(description)}`,
      ),
      ...command.choices.map((choice) => `${complete} -f -a ${choice}`),
      ...(command.takesModel ? [`${complete} -f ${models}`] : []),
      ...command.options.map((option) => `${complete} ${optionWords(option)}${option.takesModel ? ` ${models}` : ""}`),
    ];
  });
  return `# Completion of ${name} for fish: ${name} completion fish | source
${lines.join("\n")}
`;
}

/** True for exactly this command: its words were typed, and no word of a command below it. */
function condition({ words, commands }: CompletedCommand): string {
  const seen = words.map((word) => `__fish_seen_subcommand_from ${word}`);
  const below = commands.map((command) => command.words.at(-1)).join(" ");
  return [...seen, ...(below === "" ? [] : [`not __fish_seen_subcommand_from ${below}`])].join("; and ");
}

function optionWords({ flags, description, takesValue, choices }: CompletedOption): string {
  const names = flags.map((flag) => (flag.startsWith("--") ? `-l ${flag.slice(2)}` : `-s ${flag.slice(1)}`));
  const takes = choices.length > 0 ? [`-x -a ${quoted(choices.join(" "))}`] : takesValue === "always" ? ["-r"] : [];
  return [...names, ...takes, `-d ${quoted(description)}`].join(" ");
}

function quoted(text: string): string {
  return `'${text.replaceAll("\\", "\\\\").replaceAll("'", "\\'")}'`;
}
