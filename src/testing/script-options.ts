// The options of writeScriptModel() and their checks.
import {
  got,
  checkObject,
  isObject,
  optionalBoolean,
  optionalInteger,
  optionalOneOf,
  optionalName,
  optionalString,
  requiredString,
  wrong,
} from "../base/check.js";
import type { ScriptReply } from "./script-reply.js";

/** A LoRA adapter for a script model, written beside it. */
export interface ScriptAdapter {
  /** Path of the file to write. */
  readonly path: string;
  /** Replies with this adapter, in place of the model's first `replies`; the model's further ones stay. */
  readonly replies: readonly ScriptReply[];
  /**
   * The invocation tokens of an aLoRA: it acts from their last occurrence in the prompt on. Default: none, it acts
   * everywhere.
   */
  readonly invocationTokens?: readonly number[];
}

/** Options of `writeScriptModel()`. */
export interface ScriptModelOptions {
  /**
   * The model's replies. The number of assistant messages in a conversation selects the reply, whatever they say:
   * `replies[0]` answers the first call, `replies[1]` the call after one assistant message, and so on. Tool calls of a
   * reply are parsed as calls only if the request has the `tools`. A request with `chatTemplateArgs: { script_reply: 2
   * }` gets `replies[2]`, whatever the number of messages.
   */
  readonly replies: readonly ScriptReply[];
  /**
   * The reply to calls after the last one. "end" (the default): the model says `[the script has no reply 3]`, so that a
   * test that calls it too often shows why. "repeat": the last reply again, for example to keep a loop calling its
   * tool.
   */
  readonly afterLast?: "end" | "repeat";
  /**
   * Further scripts, for conversations with a system or user message that contains `when`, such as those of a sub-agent
   * or a request to summarise. The first match is used, otherwise `replies`. Not together with `chatTemplate`.
   */
  readonly scripts?: readonly {
    /** The text that a message must contain; not empty. */
    readonly when: string;
    /** The replies, selected like the model's other replies. */
    readonly replies: readonly ScriptReply[];
  }[];
  /**
   * The Jinja chat template of a real model, for tests of its prompts and of llama.cpp's parser for its format. Replies
   * are then the raw output of such a model: text with the markers of calls and reasoning, for example
   * `<tool_call>\n{"name": "weather", "arguments": {"city": "Oslo"}}\n</tool_call>`. Default: ChatML.
   *
   * Special tokens in the template become tokens of the vocabulary: `<|im_start|>` or `[TOOL_CALLS]` are control
   * tokens, which are output as text only where the parser asks for them; tags (`<think>`) are always output as text.
   * `<|...|>` in a reply is a control token as well. If a special token occurs several times in replies, the first one
   * is that token, and the others are ordinary tokens of the same text. Begin and end of text are `<|endoftext|>` and
   * `<|im_end|>`.
   *
   * A prompt begins with a token that counts the assistant messages, so the KV cache of one turn does not serve the
   * next.
   */
  readonly chatTemplate?: string;
  /**
   * LoRA adapters that change the replies: at scale 1 the adapter's replies apply, far below it the model's. With
   * several adapters, the one with the largest scale applies.
   */
  readonly adapters?: readonly ScriptAdapter[];
  /**
   * True: the model has infill tokens: `<|fim_prefix|>` and others. Default false. It fills the gap with the first
   * reply.
   */
  readonly infills?: boolean;
  /**
   * Decides about a reply that the grammar of a request does not admit: a call of a tool that the request lacks, or
   * with arguments that do not fit; a text where `toolChoice` asks for a call; a text that `jsonSchema`, the `answer`
   * of a run or `grammar` excludes. False: the generation ends with UNSUPPORTED_BY_MODEL, which names the reply, the
   * part that was written, and the part that is not admitted. True: the grammar wins, and the model writes some other
   * text that the grammar admits, sometimes up to the end of the context. Default false.
   */
  readonly overruled?: boolean;
  /** The context length stated in the file. Default 4096. Most of a prompt takes a token per byte. */
  readonly contextLength?: number;
  /** The model's name in its metadata. Default "script". */
  readonly name?: string;
}

export interface Script {
  /** Undefined for the default script. */
  readonly when: string | undefined;
  readonly replies: readonly ScriptReply[];
  /** The name of each reply in messages. */
  readonly names: readonly string[];
}

type GivenScript = Omit<Script, "names">;

const known = [
  "replies",
  "afterLast",
  "scripts",
  "adapters",
  "chatTemplate",
  "infills",
  "overruled",
  "contextLength",
  "name",
] as const;

/**
 * Checks the options and returns the scripts, the main one first, each with what follows its last reply. Errors:
 * `TypeError`, with the option.
 */
export function checkScriptModel(options: ScriptModelOptions): Script[] {
  const given = checkObject(options, "writeScriptModel() options", known);
  const afterLast = optionalOneOf(given.afterLast, '"afterLast"', ["end", "repeat"]) ?? "end";
  const chatTemplate = optionalString(given.chatTemplate, '"chatTemplate"');
  if (chatTemplate === "") throw new TypeError('"chatTemplate" must not be empty');
  optionalBoolean(given.infills, '"infills"');
  optionalBoolean(given.overruled, '"overruled"');
  optionalInteger(given.contextLength, '"contextLength"', 1);
  optionalName(given.name, '"name"');
  const further = checkScripts(given.scripts);
  if (chatTemplate !== undefined && further.length > 0) {
    throw new TypeError('"scripts" are chosen by the ChatML template: they cannot be combined with "chatTemplate"');
  }
  const main = { when: undefined, replies: checkReplies(given.replies, '"replies"', chatTemplate) };
  checkScriptAdapters(given.adapters, main.replies.length, chatTemplate);
  return [main, ...further].map(({ when, replies }, index) => {
    const names = replies.map((_, reply) => `${when === undefined ? "" : `scripts[${index - 1}].`}replies[${reply}]`);
    if (afterLast === "repeat" && replies.length > 0) return { when, replies, names };
    const ended = `[the script has no reply ${replies.length + 1}]`;
    return { when, replies: [...replies, ended], names: [...names, `"${ended}"`] };
  });
}

function checkScripts(value: unknown): GivenScript[] {
  if (value === undefined) return [];
  if (!Array.isArray(value)) throw wrong('"scripts"', "an array", value);
  return Array.from(value as unknown[], (script, index) => {
    const what = `"scripts[${index}]"`;
    if (!isObject(script)) throw wrong(what, "an object", script);
    const { when, replies } = checkObject(script, what, ["when", "replies"]);
    if (typeof when !== "string") throw wrong(`"scripts[${index}].when"`, "a string", when);
    if (when === "") throw new TypeError(`"scripts[${index}].when" must not be empty: every message contains it`);
    return { when, replies: checkReplies(replies, `"scripts[${index}].replies"`, undefined) };
  });
}

function checkScriptAdapters(value: unknown, replies: number, chatTemplate: string | undefined): void {
  if (value === undefined) return;
  if (!Array.isArray(value)) throw wrong('"adapters"', "an array", value);
  Array.from(value as unknown[]).forEach((adapter, index) => {
    const what = `adapters[${index}]`;
    if (!isObject(adapter)) throw wrong(`"${what}"`, "an object", adapter);
    const given = checkObject(adapter, `"${what}"`, ["path", "replies", "invocationTokens"]);
    requiredString(given.path, `"${what}.path"`);
    checkTokens(given.invocationTokens, `${what}.invocationTokens`);
    const own = checkReplies(given.replies, `"${what}.replies"`, chatTemplate);
    if (own.length > 0 && own.length <= replies) return;
    throw new TypeError(`"${what}.replies" must be 1 to ${replies}, as many as the model's at most, got ${own.length}`);
  });
}

function checkTokens(value: unknown, what: string): void {
  if (value === undefined) return;
  if (!Array.isArray(value) || value.length === 0) throw wrong(`"${what}"`, "an array of tokens, not empty", value);
  Array.from(value as unknown[]).forEach((token, index) => optionalInteger(token ?? null, `"${what}[${index}]"`, 0));
}

function checkReplies(value: unknown, what: string, chatTemplate: string | undefined): readonly ScriptReply[] {
  if (!Array.isArray(value)) throw wrong(what, "an array", value);
  const name = what.slice(1, -1);
  Array.from(value as unknown[]).forEach((reply, index) => checkReply(reply, `${name}[${index}]`, chatTemplate));
  return value as readonly ScriptReply[];
}

function checkReply(reply: unknown, what: string, chatTemplate: string | undefined): void {
  if (typeof reply === "string") return;
  if (!isObject(reply)) throw wrong(`"${what}"`, "a string, a message or { pieces }", reply);
  optionalBoolean(reply["endless"], `"${what}.endless"`);
  if ("pieces" in reply) {
    const { pieces } = checkObject(reply, `"${what}"`, ["pieces", "endless"]);
    checkPieces(pieces, `${what}.pieces`);
    return;
  }
  const parts = checkObject(reply, `"${what}"`, ["reasoning", "text", "toolCalls", "split", "endless"]);
  optionalString(parts.reasoning, `"${what}.reasoning"`);
  optionalString(parts.text, `"${what}.text"`);
  optionalOneOf(parts.split, `"${what}.split"`, ["words", "characters", "bytes"]);
  checkCalls(parts.toolCalls, `${what}.toolCalls`);
  for (const part of ["reasoning", "toolCalls"] as const) {
    if (chatTemplate === undefined || parts[part] === undefined) continue;
    throw new TypeError(`"${what}.${part}" would be written for ChatML: with "chatTemplate" spell it out in "text"`);
  }
}

function checkPieces(pieces: unknown, what: string): void {
  if (!Array.isArray(pieces)) throw wrong(`"${what}"`, "an array", pieces);
  pieces.forEach((piece: unknown, index) => {
    if (typeof piece === "string" || piece instanceof Uint8Array) return;
    throw wrong(`"${what}[${index}]"`, "a string or a Uint8Array", piece);
  });
}

function checkCalls(calls: unknown, what: string): void {
  if (calls === undefined) return;
  if (!Array.isArray(calls)) throw wrong(`"${what}"`, "an array", calls);
  calls.forEach((call: unknown, index) => {
    const shaped = isObject(call) && typeof call["name"] === "string" && isObject(call["args"]);
    if (!shaped) throw new TypeError(`"${what}[${index}]" must be { name, args: object }, got ${got(call)}`);
  });
}
