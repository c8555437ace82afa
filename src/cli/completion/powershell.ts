// The completion script for PowerShell, Windows' own and the newer one; it needs nothing else.
import { allCommands, type CompletedCommand, type CompletedOption, namesOfModels } from "./command-tree.js";

/** If no completion fits, PowerShell completes file names. */
export function powershellCompletion(name: string, program: CompletedCommand): string {
  const commands = allCommands(program);
  return `# Completion of ${name} for PowerShell: ${name} completion powershell | Out-String | Invoke-Expression
Register-ArgumentCompleter -Native -CommandName @('${name}', '${name}.cmd', '${name}.ps1') -ScriptBlock {
  param($word, $line, $cursor)
  $models = { & '${name}' ${namesOfModels} 2>$null }
  $commands = @{
${commands.map((command) => `    ${quoted(command.words.join(" "))} = @{ words = ${wordsOf(command)}; options = ${list(command.options.map(completion))} }`).join("\n")}
  }
  $values = @{
${commands.flatMap(valuesOf).join("\n")}
  }
  # The words in front of the one that is completed, as far as they name a command, and the last of them.
  $at = ''
  $before = ''
  foreach ($element in @($line.CommandElements | Select-Object -Skip 1)) {
    if ($element.Extent.EndOffset -ge $cursor) { break }
    $before = $element.Extent.Text
    $deeper = "$at $before".Trim()
    if ($commands.ContainsKey($deeper)) { $at = $deeper }
  }
  $prefix = ''
  $begun = $word
  if ($word -match '^(--[^=]+)=(.*)$') {
    $before = $Matches[1]
    $prefix = "$before="
    $begun = $Matches[2]
  }
  $option = "$at $before".Trim()
  $found = if ($values.ContainsKey($option)) { $values[$option] }
    elseif ($prefix -ne '') { @() }
    elseif ($word.StartsWith('-')) { $commands[$at].options }
    else { $commands[$at].words }
  if ($found -is [scriptblock]) { $found = @(& $found | ForEach-Object { ,@($_, $_) }) }
  foreach ($one in $found) {
    if ($one[0].StartsWith($begun, [System.StringComparison]::Ordinal)) {
      [System.Management.Automation.CompletionResult]::new($prefix + $one[0], $one[0], 'ParameterValue', $one[1])
    }
  }
}
`;
}

/** A completion and the text that describes it; PowerShell refuses an empty one. */
type Completion = readonly [text: string, description: string];

function wordsOf({ commands, choices, takesModel }: CompletedCommand): string {
  if (takesModel) return "$models";
  return list([
    ...commands.map(({ words, description }): Completion[] => [[words.at(-1) ?? "", description]]),
    ...choices.map((choice): Completion[] => [[choice, choice]]),
  ]);
}

function completion({ flags, description }: CompletedOption): Completion[] {
  return flags.map((flag) => [flag, description]);
}

/** The values of the options that take one; none, so that files are completed, if they are not known. */
function valuesOf({ words, options }: CompletedCommand): string[] {
  return options
    .filter(({ takesValue, choices }) => takesValue === "always" || choices.length > 0)
    .flatMap(({ flags, choices, takesModel }) => {
      const values = takesModel ? "$models" : list([choices.map((choice): Completion => [choice, choice])]);
      return flags.map((flag) => `    ${quoted([...words, flag].join(" "))} = ${values}`);
    });
}

/** A list of lists: the commas in front keep PowerShell from joining them. */
function list(parts: readonly (readonly Completion[])[]): string {
  const all = parts.flat().map(([text, description]) => `,@(${quoted(text)}, ${quoted(description || text)})`);
  return `@(${all.join("; ")})`;
}

function quoted(text: string): string {
  return `'${text.replaceAll(/['\u2018\u2019\u201a\u201b]/g, "$&$&")}'`;
}
