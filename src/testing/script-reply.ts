// What a script model is told to say, and how a reply is cut into the pieces that become tokens.
// Must not: know the vocabulary or the weights.
import { cutAtSpecialTokens } from "./script-special-tokens.js";

/** A tool call that a reply makes. */
export interface ScriptToolCall {
  /** Name of the tool. */
  readonly name: string;
  /**
   * In the order of the tool's schema, and valid by it: from `<tool_call>` on, llama.cpp admits only tokens that fit the
   * tools of the request, so that a call it does not fit is not replayed.
   */
  readonly args: Readonly<Record<string, unknown>>;
}

/** A reply in the parts that a parsed message has, written as models with a ChatML template write them. */
export interface ScriptMessage {
  /** Written first, between `<think>` tags. */
  readonly reasoning?: string;
  /** What is said, after the reasoning and before the calls [nothing]. */
  readonly text?: string;
  /** Written last, in the Hermes form. */
  readonly toolCalls?: readonly ScriptToolCall[];
  /**
   * How the reply is cut into tokens: like a real tokenizer does ("words", the default; a word has the space before it),
   * or by code points or bytes. The vocabulary has room for each single byte only two or three times: further ones are
   * tokens together with the byte or character after them.
   */
  readonly split?: "words" | "characters" | "bytes";
  /** The reply starts over instead of ending, for ever. */
  readonly endless?: boolean;
}

/**
 * A reply token by token, written as it is: the text of a tool call has to be spelled out. A piece of bytes may end
 * within a UTF-8 character.
 */
export interface ScriptPieces {
  /** The tokens, in order. */
  readonly pieces: readonly (string | Uint8Array)[];
  /** The reply starts over instead of ending, for ever. */
  readonly endless?: boolean;
}

/** A string is a reply of that text. */
export type ScriptReply = string | ScriptMessage | ScriptPieces;

/** What a reply says in text; of pieces, which may be bytes, each for itself. */
export function spokenText(reply: ScriptReply): string {
  if (typeof reply === "string") return reply;
  if (!("pieces" in reply)) return reply.text ?? "";
  return reply.pieces.filter((piece) => typeof piece === "string").join("\n");
}

/** `special` tokens stay whole, however a reply is cut. */
export function replyPieces(reply: ScriptReply, special: readonly string[]): Uint8Array[] {
  const pieces = typeof reply === "object" && "pieces" in reply ? reply.pieces : messagePieces(reply, special);
  return pieces.map((piece) => Buffer.from(piece)).filter((piece) => piece.length > 0);
}

/** The pieces of a message, up to `most` words a piece: fewer tokens, where a vocabulary has no room for each word. */
export function coarsePieces(message: ScriptMessage, most: number): string[] {
  return messageParts(message).flatMap((part) => {
    const all = words(part);
    return Array.from({ length: Math.ceil(all.length / most) }, (_, index) =>
      all.slice(index * most, (index + 1) * most).join(""),
    );
  });
}

function messagePieces(reply: string | ScriptMessage, special: readonly string[]): (string | Uint8Array)[] {
  const { split = "words" } = typeof reply === "string" ? {} : reply;
  const parts = typeof reply === "string" ? [reply] : messageParts(reply);
  return parts
    .flatMap((part) => cutAtSpecialTokens(part, special))
    .flatMap((part): readonly (string | Uint8Array)[] => {
      if (special.includes(part)) return [part];
      if (split === "characters") return Array.from(part);
      if (split === "bytes") return Array.from(Buffer.from(part), (byte) => Uint8Array.of(byte));
      return words(part);
    });
}
/** Cut apart first, so that no token is half text, half tool call. */
function messageParts({ reasoning, text = "", toolCalls = [] }: ScriptMessage): string[] {
  // No line break before `</think>` nor between text and call: the parser would count it to the reasoning, or the text.
  const thoughts = reasoning === undefined ? [] : ["<think>\n", reasoning, "</think>\n\n"];
  const calls = toolCalls.map(
    ({ name, args }, i) =>
      `${i === 0 ? "" : "\n"}<tool_call>\n{"name": ${json(name)}, "arguments": ${json(args)}}\n</tool_call>`,
  );
  return [...thoughts, text, ...calls];
}

/**
 * Cuts where the tokenizer of the model cuts its prompts before looking words up ("llama-bpe"): a reply without repeated
 * words is then the same tokens when it comes back in the history.
 */
function words(text: string): string[] {
  return (
    text.match(
      /(?:'[sS]|'[tT]|'[rR][eE]|'[vV][eE]|'[mM]|'[lL][lL]|'[dD])|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+/gu,
    ) ?? []
  );
}

/** JSON spaced as chat templates write it ("tojson"), and spelled so that llama.cpp's grammar of any JSON admits it. */
function json(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(json).join(", ")}]`;
  if (typeof value === "object" && value !== null) {
    const fields = Object.entries(value).filter(([, field]) => field !== undefined);
    return `{${fields.map(([key, field]) => `${json(key)}: ${json(field)}`).join(", ")}}`;
  }
  if (typeof value === "number" && !/^-?\d{1,16}(?:\.\d{1,16})?$/.test(String(value))) return exponential(value);
  return JSON.stringify(value)?.replaceAll("\x7f", "\\u007f") ?? "null";
}

/** A digit in front and 16 behind at most: that is all a number has. */
function exponential(value: number): string {
  return Number.isFinite(value) ? value.toExponential() : "null";
}
