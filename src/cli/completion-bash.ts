// The completion script for bash. Must not: need bash-completion to be installed, or a bash newer than 3.2.
import { allCommands, type CompletedCommand } from "./completion-tree.js";

/** Where nothing of ours fits, bash completes names of files. */
export function bashCompletion(name: string, program: CompletedCommand): string {
  const commands = allCommands(program);
  const known = commands.filter(({ words }) => words.length > 0).map(({ words }) => pattern(words));
  const values = commands.flatMap(valuesOf).map((line) => `    ${line}`);
  const words = commands.map(
    (command) => `    "${command.words.join(" ")}") options="${flagsOf(command)}" words="${wordsOf(command)}" ;;`,
  );
  return `# Completion of ${name} for bash: source <(${name} completion bash)
_${name.replaceAll("-", "_")}() {
  local cur="\${COMP_WORDS[COMP_CWORD]}" prev="\${COMP_WORDS[COMP_CWORD-1]}" at="" i options="" words=""
  COMPREPLY=()
  # bash takes --option=value apart.
  if [ "$cur" = "=" ]; then cur=""; elif [ "$prev" = "=" ]; then prev="\${COMP_WORDS[COMP_CWORD-2]}"; fi
  for ((i = 1; i < COMP_CWORD; i++)); do
    case "$at \${COMP_WORDS[i]}" in
      ${known.join("|")}) at="\${at:+$at }\${COMP_WORDS[i]}" ;;
    esac
  done
  case "$at $prev" in
${values.join("\n")}
  esac
  case "$at" in
${words.join("\n")}
  esac
  case "$cur" in
    -*) words="$options" ;;
  esac
  COMPREPLY=($(compgen -W "$words" -- "$cur"))
}
complete -o default -F _${name.replaceAll("-", "_")} ${name}
`;
}

/** What is offered behind options that take a value; names of files where the values are not known. */
function valuesOf({ words, options }: CompletedCommand): string[] {
  const byReply = new Map<string, string[]>();
  for (const { flags, choices, takesValue } of options) {
    if (takesValue !== "always") continue;
    const reply = choices.length === 0 ? "" : `COMPREPLY=($(compgen -W "${choices.join(" ")}" -- "$cur")); `;
    byReply.set(reply, [...(byReply.get(reply) ?? []), ...flags.map((flag) => pattern([...words, flag]))]);
  }
  return [...byReply].map(([reply, patterns]) => `${patterns.join("|")}) ${reply}return ;;`);
}

/** The words so far and the next one, with the space in between that is there before the first as well. */
function pattern(words: readonly string[]): string {
  return words.length === 1 ? `" ${words[0]}"` : `"${words.join(" ")}"`;
}

function flagsOf({ options }: CompletedCommand): string {
  return options.flatMap(({ flags }) => flags).join(" ");
}

function wordsOf({ commands, choices }: CompletedCommand): string {
  return [...commands.flatMap(({ words }) => words.slice(-1)), ...choices].join(" ");
}
