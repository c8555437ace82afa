// Lays out help within the width of the terminal, however narrow it is. Must not: break a word.
import type { AddHelpTextContext, Help, HelpConfiguration } from "commander";
import { wrap } from "../../base/wrap.js";
import { columnsOf } from "../process/terminal.js";

/** The minimum columns for a description beside its term; with fewer, the description is below the term. */
const leastBeside = 40;
const [indent, gap, below] = [2, 2, 6];

function formatItem(this: Help, term: string, termWidth: number, description: string): string {
  const width = this.helpWidth ?? 80;
  const start = " ".repeat(indent) + term;
  if (description === "") return start;
  const isBeside = width - indent - termWidth - gap >= leastBeside;
  const column = isBeside ? indent + termWidth + gap : below;
  const text = wrap(description, width - column).join(`\n${" ".repeat(column)}`);
  const between = isBeside ? " ".repeat(column - indent - this.displayWidth(term)) : `\n${" ".repeat(column)}`;
  return start + between + text;
}

/** A paragraph is broken between words. */
export const helpLayout: HelpConfiguration = {
  formatItem,
  boxWrap: (text, width) => wrap(text, width).join("\n"),
};

/** Lines below the help, each of any length. Lines with an indent are broken with that of their text. */
export function notes(...lines: readonly string[]): (context: AddHelpTextContext) => string {
  return ({ error }) => {
    const width = columnsOf(error ? process.stderr : process.stdout);
    return ["", ...lines.flatMap((line) => wrap(line, width, /^ */.exec(line)?.[0] ?? "")), ""].join("\n");
  };
}
