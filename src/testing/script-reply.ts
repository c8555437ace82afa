// The replies of script models, and how a reply is split into the pieces that become tokens.
import { cutAtSpecialTokens } from "./script-special-tokens.js";

/** A tool call in a reply. */
export interface ScriptToolCall {
  /** Name of the tool. */
  readonly name: string;
  /**
   * Arguments, valid by the tool's schema: after `<tool_call>` llama.cpp admits only tokens that fit the tools of the
   * request. A call that does not fit ends the generation with UNSUPPORTED_BY_MODEL, which names the reply. Up to four
   * arguments are written in the schema's order, in whatever order they are given. More arguments, and those within an
   * argument, must be in that order: first the required ones, each in the order of `properties`.
   */
  readonly args: Readonly<Record<string, unknown>>;
}

/** A reply as a parsed message, written in the ChatML format. */
export interface ScriptMessage {
  /** Written first, between `<think>` tags. */
  readonly reasoning?: string;
  /** The text between reasoning and calls [none]. */
  readonly text?: string;
  /** Written last, in the Hermes format. */
  readonly toolCalls?: readonly ScriptToolCall[];
  /**
   * The way to split the reply into tokens: like a real tokenizer ("words", the default; a word includes the space
   * before it), by code points, or by bytes. The vocabulary has room for each single byte only two or three times;
   * further ones are merged with the byte or character after them.
   */
  readonly split?: "words" | "characters" | "bytes";
  /** True: the reply starts over forever instead of ending. */
  readonly endless?: boolean;
}

/**
 * A reply token by token, as raw text: tool calls must be written out. A piece of bytes may end within a UTF-8
 * character.
 */
export interface ScriptPieces {
  /** The tokens, in order. */
  readonly pieces: readonly (string | Uint8Array)[];
  /** True: the reply starts over forever instead of ending. */
  readonly endless?: boolean;
}

/** A reply; a string is its text. */
export type ScriptReply = string | ScriptMessage | ScriptPieces;

/** The text of a reply. Pieces, which may be bytes, are decoded one by one. */
export function spokenText(reply: ScriptReply): string {
  if (typeof reply === "string") return reply;
  if (!("pieces" in reply)) return reply.text ?? "";
  return reply.pieces.filter((piece) => typeof piece === "string").join("\n");
}

/** `special` tokens are never split. */
export function replyPieces(reply: ScriptReply, special: readonly string[]): Uint8Array[] {
  const pieces = typeof reply === "object" && "pieces" in reply ? reply.pieces : messagePieces(reply, special);
  return pieces.map((piece) => Buffer.from(piece)).filter((piece) => piece.length > 0);
}

/** The pieces of a message, with up to `most` words per piece, for a vocabulary without room for each word. */
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
/** Split before anything else, so that no token is part text, part tool call. */
function messageParts({ reasoning, text = "", toolCalls = [] }: ScriptMessage): string[] {
  // No line break before `</think>` or between text and call: the parser would count it as part of the reasoning or the
  // text.
  const thoughts = reasoning === undefined ? [] : ["<think>\n", reasoning, "</think>\n\n"];
  const calls = toolCalls.map(
    ({ name, args }, i) =>
      `${i === 0 ? "" : "\n"}<tool_call>\n{"name": ${json(name)}, "arguments": ${json(args)}}\n</tool_call>`,
  );
  return [...thoughts, text, ...calls];
}

/**
 * Splits where the model's tokenizer splits prompts before it looks words up ("llama-bpe"), so that a reply without
 * repeated words has the same tokens in the history.
 */
function words(text: string): string[] {
  return (
    text.match(
      /(?:'[sS]|'[tT]|'[rR][eE]|'[vV][eE]|'[mM]|'[lL][lL]|'[dD])|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+/gu,
    ) ?? []
  );
}

/** JSON with the spaces of chat templates ("tojson"), in a form that llama.cpp's JSON grammar admits. */
function json(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(json).join(", ")}]`;
  if (typeof value === "object" && value !== null) {
    const fields = Object.entries(value).filter(([, field]) => field !== undefined);
    return `{${fields.map(([key, field]) => `${json(key)}: ${json(field)}`).join(", ")}}`;
  }
  if (typeof value === "number" && !/^-?\d{1,16}(?:\.\d{1,16})?$/.test(String(value))) return exponential(value);
  return JSON.stringify(value)?.replaceAll("\x7f", "\\u007f") ?? "null";
}

/** One digit before the point and at most 16 after it, which is all that a double has. */
function exponential(value: number): string {
  return Number.isFinite(value) ? value.toExponential() : "null";
}
