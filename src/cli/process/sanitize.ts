// Text of models, tools, hooks and files, made harmless for a terminal. Must not: be used for what is data: a pipe or a
// file gets what was said, as it was said.

// oxlint-disable-next-line no-control-regex
const controls = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g;

/**
 * The text without control characters, each of which stands as its picture (ESC: "␛"): a terminal obeys sequences of
 * them, which can forge what it shows, set its title, or write into its clipboard. Line ends and tabs stay.
 */
export function sanitize(text: string): string {
  return text.replaceAll("\r\n", "\n").replace(controls, picture);
}

/** The same for a name, which has no lines. */
export function sanitizeName(text: string): string {
  return sanitize(text).replaceAll("\n", picture("\n")).replaceAll("\t", picture("\t"));
}

/** A copy of plain data in which every text is harmless. What is no plain data stays as it is. */
export function sanitizeData<T>(value: T): T;
export function sanitizeData(value: unknown): unknown {
  if (typeof value === "string") return sanitize(value);
  if (Array.isArray(value)) return value.map(sanitizeData<unknown>);
  if (typeof value !== "object" || value === null || Object.getPrototypeOf(value) !== Object.prototype) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [sanitize(key), sanitizeData<unknown>(item)]));
}

/** Unicode has pictures of the first 32 and of DEL, none of those from 0x80 on. */
function picture(control: string): string {
  const code = control.charCodeAt(0);
  if (code < 0x20) return String.fromCharCode(0x2400 + code);
  return code === 0x7f ? "␡" : "\ufffd";
}
