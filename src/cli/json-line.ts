// One JSON object a line, as --json writes them. Must not: know what is in them.

// oxlint-disable-next-line no-control-regex
const unescaped = /[\u007f-\u009f]/g;

/** The line. JSON itself escapes what a terminal would obey, but for these, which some terminals do. */
export function jsonLine(value: unknown): string {
  const text = JSON.stringify(value, errorsToo);
  return `${text.replace(unescaped, (one) => `\\u${one.charCodeAt(0).toString(16).padStart(4, "0")}`)}\n`;
}

/** An Error in a decision's cause would be written as {}. */
function errorsToo(_: string, value: unknown): unknown {
  return value instanceof Error ? { name: value.name, message: value.message } : value;
}
