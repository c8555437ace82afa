// Makes text of models, tools, hooks and files safe for a terminal. Must not: be applied to data: a pipe or a file
// receives the original text.

/**
 * Control characters except line ends and tabs, and the controls of bidirectional text: marks, embeddings, overrides
 * and isolates.
 */
// oxlint-disable-next-line no-control-regex
const controls = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g;

/**
 * Replaces each control character with its picture (ESC: "␛"). A terminal executes sequences of control characters,
 * which can forge the display, set the title, or write into the clipboard; controls of bidirectional text can make a
 * command read as another one. Line ends and tabs stay.
 */
export function sanitize(text: string): string {
  return text.replaceAll("\r\n", "\n").replace(controls, picture);
}

/** Removes what `sanitize` replaces. */
export function withoutControls(text: string): string {
  return text.replace(controls, "");
}

/** Does the same for a name, which must stay on one line. */
export function sanitizeName(text: string): string {
  return sanitize(text).replaceAll("\n", picture("\n")).replaceAll("\t", picture("\t"));
}

/** Copies plain data with every text sanitized. Values that are not plain data are returned unchanged. */
export function sanitizeData<T>(value: T): T;
export function sanitizeData(value: unknown): unknown {
  if (typeof value === "string") return sanitize(value);
  if (Array.isArray(value)) return value.map(sanitizeData<unknown>);
  if (typeof value !== "object" || value === null || Object.getPrototypeOf(value) !== Object.prototype) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [sanitize(key), sanitizeData<unknown>(item)]));
}

/** Unicode has pictures of the first 32 control characters and of DEL only. */
function picture(control: string): string {
  const code = control.charCodeAt(0);
  if (code < 0x20) return String.fromCharCode(0x2400 + code);
  return code === 0x7f ? "␡" : "\ufffd";
}
