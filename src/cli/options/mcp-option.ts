// --mcp: parses an MCP server, which is an address or a command line, perhaps with a name before it.
import { InvalidArgumentError, Option } from "commander";
import { keepsBackslashes } from "../../base/platform-process.js";
import { expandHome } from "./option-parsers.js";

/** An MCP server that the user named. */
export interface McpServer {
  /** The value of the option, for messages. */
  readonly text: string;
  /** Begins the names of its tools. */
  readonly name?: string;
  /** The address of a server over streamable HTTP, or the words of a command that speaks MCP over stdio. */
  readonly target: URL | readonly [command: string, ...args: string[]];
}

export function mcpOption(): Option {
  return new Option(
    "--mcp <[name=]server>",
    "MCP server whose tools are offered: an http(s) address, or a command line in quotes; name begins their names; repeatable",
  )
    .argParser((text: string, before: readonly McpServer[]) => [...before, mcpServer(text)])
    .default([], "none");
}

function mcpServer(text: string): McpServer {
  const [, name, rest = text] = /^([A-Za-z0-9_-]{1,32})=(.*)$/s.exec(text.trim()) ?? [];
  if (name !== undefined && /__|_$/.test(name))
    throw new InvalidArgumentError('The name must not contain "__" or end with "_".');
  return { text, ...(name !== undefined && { name }), target: targetOf(rest.trim()) };
}

function targetOf(text: string): McpServer["target"] {
  if (/^https?:/i.test(text)) {
    if (!URL.canParse(text)) throw new InvalidArgumentError("It is not an address.");
    return new URL(text);
  }
  const [command, ...args] = wordsOf(keepsBackslashes ? text.replace(/'[^']*'|\\(?!")/g, doubled) : text);
  if (command === undefined || command === "") throw new InvalidArgumentError("It must not be empty.");
  return [command, ...args];
}

/** A backslash for each that is not in single quotes, before which none has a meaning. */
function doubled(found: string): string {
  return found === "\\" ? "\\\\" : found;
}

/**
 * Splits a command line as a shell does, but expands nothing except `~` or `~/` at the beginning of a word. Blanks
 * divide words. Text between two `'` stays as it is. A backslash keeps the next character; between two `"`, it does so
 * only before `"`, `\`, `$` and a backquote. Errors: InvalidArgumentError.
 */
export function wordsOf(line: string): string[] {
  const piece = /(\s+)|'([^']*)'|"((?:[^"\\]|\\.)*)"|\\(.)|([^\s'"\\]+)|(.)/gsy;
  const words: string[] = [];
  let word: string | undefined;
  for (const [, blank, single, double, escaped, plain, wrong] of line.matchAll(piece)) {
    if (wrong !== undefined)
      throw new InvalidArgumentError(
        wrong === "\\" ? "It ends with a backslash." : `The quote ${wrong} is not closed.`,
      );
    if (blank !== undefined) {
      if (word !== undefined) words.push(word);
      word = undefined;
    } else if (plain !== undefined) word = word === undefined ? expandHome(plain) : word + plain;
    else word = (word ?? "") + (single ?? escaped ?? (double ?? "").replace(/\\(["\\$`])/g, "$1"));
  }
  return word === undefined ? words : [...words, word];
}
