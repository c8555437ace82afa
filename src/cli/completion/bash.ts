// The completion script for bash 3.2 and later; it does not need bash-completion.
import { allCommands, type CompletedCommand, namesOfModels } from "./command-tree.js";

/** If no completion fits, bash completes file names. */
export function bashCompletion(name: string, program: CompletedCommand): string {
  const id = name.replaceAll("-", "_");
  const commands = allCommands(program);
  const known = commands.filter(({ words }) => words.length > 0).map(({ words }) => pattern(words));
  const models = `$(${name} ${namesOfModels} 2>/dev/null)`;
  const values = commands.flatMap((command) => valuesOf(command, `_${id}_offer`, models)).map((line) => `    ${line}`);
  const words = commands.map(
    (command) =>
      `    "${command.words.join(" ")}") options="${flagsOf(command)}" words="${wordsOf(command, models)}" ;;`,
  );
  return `# Completion of ${name} for bash: source <(${name} completion bash)
_${id}_offer() {
  local i colons="\${cur%"\${cur##*:}"}"
  COMPREPLY=($(compgen -W "$1" -- "$cur"))
  # bash replaces what stands behind the last colon.
  for ((i = 0; i < \${#COMPREPLY[@]}; i++)); do COMPREPLY[i]="\${COMPREPLY[i]#"$colons"}"; done
}
_${id}() {
  local last=$COMP_CWORD cur="\${COMP_WORDS[COMP_CWORD]}" prev at="" i options="" words=""
  COMPREPLY=()
  # bash takes words apart at colons, and --option=value.
  while [ "$last" -gt 2 ] && { [ "\${COMP_WORDS[last]}" = ":" ] || [ "\${COMP_WORDS[last-1]}" = ":" ]; }; do
    last=$((last - 1))
    cur="\${COMP_WORDS[last]}$cur"
  done
  prev="\${COMP_WORDS[last-1]}"
  if [ "$cur" = "=" ]; then cur=""; elif [ "$prev" = "=" ]; then prev="\${COMP_WORDS[last-2]}"; fi
  for ((i = 1; i < last; i++)); do
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
  _${id}_offer "$words"
}
complete -o default -F _${id} ${name}
`;
}

/** The completions of options that take a value; file names if the values are not known. */
function valuesOf({ words, options }: CompletedCommand, offer: string, models: string): string[] {
  const byReply = new Map<string, string[]>();
  for (const { flags, choices, takesValue, takesModel } of options) {
    if (takesValue !== "always") continue;
    const known = takesModel ? models : choices.join(" ");
    const reply = known === "" ? "" : `${offer} "${known}"; `;
    byReply.set(reply, [...(byReply.get(reply) ?? []), ...flags.map((flag) => pattern([...words, flag]))]);
  }
  return [...byReply].map(([reply, patterns]) => `${patterns.join("|")}) ${reply}return ;;`);
}

/** Joins the previous words and the next one with a space. The first word has a space before it as well. */
function pattern(words: readonly string[]): string {
  return words.length === 1 ? `" ${words[0]}"` : `"${words.join(" ")}"`;
}

function flagsOf({ options }: CompletedCommand): string {
  return options.flatMap(({ flags }) => flags).join(" ");
}

function wordsOf({ commands, choices, takesModel }: CompletedCommand, models: string): string {
  if (takesModel) return models;
  return [...commands.flatMap(({ words }) => words.slice(-1)), ...choices].join(" ");
}
