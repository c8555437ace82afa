// Escapes untrusted text in a message that people read.

/** Control characters except line ends and tabs, and characters that change the direction of text. */
// oxlint-disable-next-line no-control-regex
const controls = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/g;

/** Replaces each control character by an escape such as `\u001b`, because a terminal would act on it. */
export function printable(text: string): string {
  return text.replace(controls, (control) => `\\u${control.charCodeAt(0).toString(16).padStart(4, "0")}`);
}
