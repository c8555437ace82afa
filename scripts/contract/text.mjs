// Names and wrapped comments, as every generated file has them. Must not: know a table.

export const camel = (name) => name.toLowerCase().replace(/_([a-z])/g, (_, letter) => letter.toUpperCase());
export const snake = (name) => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
export const pascal = (name) => camel(`_${name}`);
export const upperFirst = (text) => text[0].toUpperCase() + text.slice(1);

/** Words in lines of at most `width` characters; from the second line on they are `indent` further in. */
export function wrap(text, width, indent = "") {
  const lines = [];
  let line = "";
  for (const word of text.split(" ")) {
    if (line && `${line} ${word}`.length > width) {
      lines.push(line);
      line = indent + word;
    } else {
      line = line ? `${line} ${word}` : word;
    }
  }
  lines.push(line);
  return lines;
}

/** A C comment of paragraphs, indented by two. */
export function comment(paragraphs) {
  return `  /* ${paragraphs.flatMap((paragraph) => wrap(paragraph, 112, "  ")).join("\n   * ")} */`;
}

/** A constant of a C enum and the comment beside it, all of whose lines begin at `column`. */
export function constant(text, what, column) {
  const lines = wrap(what, 120 - column - 6);
  return `${text.padEnd(column)}/* ${lines.join(`\n${" ".repeat(column + 3)}`)} */\n`;
}

/** A doc comment of TypeScript. */
export function docs(text, indent) {
  const pad = " ".repeat(indent);
  const one = `${pad}/** ${text} */\n`;
  if (one.length <= 101) return one;
  const lines = wrap(text, 100 - indent - 3);
  return `${pad}/**\n${lines.map((line) => `${pad} * ${line}\n`).join("")}${pad} */\n`;
}

/** The line of a generated file that names its tables and its script. */
export function origin(...tables) {
  const names = tables.length > 1 ? `{${tables.join(",")}}` : tables[0];
  return `Generated from native/contract/${names}.json by scripts/generate-contract.mjs; do not edit.`;
}

/** A table in Markdown. Cells may hold anything but a line's end. */
export function markdownTable(head, rows) {
  const line = (cells) => `| ${cells.map((cell) => String(cell).replaceAll("|", "\\|")).join(" | ")} |\n`;
  return `${line(head)}|${"---|".repeat(head.length)}\n${rows.map(line).join("")}`;
}

/** `^auto$` and `^(auto|none)$` as a list of choices. */
export function wordsOf(pattern) {
  const words = pattern.replace(/^\^\(?([\w|]+)\)?\$$/, "$1").split("|");
  return words.map((word) => JSON.stringify(word)).join(" | ");
}
