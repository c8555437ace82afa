// The system prompt and the messages of a request in the engine's form.
import { isObject, optionError, requiredString, wrong } from "../../base/check.js";
import type { Message, ToolCall } from "../../index.js";
import { argumentsOf } from "../protocol/past-arguments.js";
import { type Block, blocksOf, notSupported, onlyTextOf, textOf } from "./content.js";

type Members = Readonly<Record<string, unknown>>;

/** Names of the tools that have been called, by the ids of the calls. */
type Called = Map<string, string>;

/** Converts messages. Errors: `TypeError` with `param`; 400 for blocks that are not text. */
export function turnsOf(system: unknown, value: unknown): Message[] {
  if (!Array.isArray(value)) throw wrong("messages", "an array of messages", value);
  if (value.length === 0) throw optionError("messages", "messages must not be empty");
  const called: Called = new Map();
  const before = system === undefined ? "" : onlyTextOf(system, "system");
  const first: Message[] = before === "" ? [] : [{ role: "system", content: before }];
  return first.concat(value.flatMap((one: unknown, index) => turnOf(one, `messages[${index}]`, called)));
}

function turnOf(one: unknown, at: string, called: Called): Message[] {
  if (!isObject(one)) throw wrong(at, "an object with role and content", one);
  const { role, content } = one;
  switch (role) {
    case "system":
      return [{ role: "system", content: onlyTextOf(content, `${at}.content`) }];
    case "user":
      return userTurnOf(blocksOf(content, `${at}.content`), `${at}.content`, called);
    case "assistant":
      return [assistantTurnOf(blocksOf(content, `${at}.content`), `${at}.content`, called)];
    default:
      throw wrong(`${at}.role`, "one of user, assistant, system", role);
  }
}

/** Converts a user's message, which may hold results of tools; each result becomes a separate message. */
function userTurnOf(blocks: readonly Block[], at: string, called: Called): Message[] {
  const turns: Message[] = [];
  let text: string | undefined;
  const endText = (): void => {
    if (text !== undefined) turns.push({ role: "user", content: text });
    text = undefined;
  };
  blocks.forEach((block, index) => {
    const place = `${at}[${index}]`;
    if (block.type === "text") {
      text = (text ?? "") + textOf(block, place);
    } else if (block.type === "tool_result") {
      endText();
      turns.push(resultOf(block, place, called));
    } else throw notSupported(block, place);
  });
  endText();
  return turns.length === 0 ? [{ role: "user", content: "" }] : turns;
}

function resultOf(block: Members, at: string, called: Called): Message {
  const id = requiredString(block["tool_use_id"], `${at}.tool_use_id`);
  const name = called.get(id);
  const text = block["content"] === undefined ? "" : onlyTextOf(block["content"], `${at}.content`);
  // The engine's own tools tell the model of a failure in words, too.
  const content = block["is_error"] === true ? `Error: ${text}` : text;
  return { role: "tool", content, toolCallId: id, ...(name !== undefined && { toolName: name }) };
}

function assistantTurnOf(blocks: readonly Block[], at: string, called: Called): Message {
  const toolCalls: ToolCall[] = [];
  let content = "";
  let reasoning = "";
  blocks.forEach((block, index) => {
    const place = `${at}[${index}]`;
    switch (block.type) {
      case "text":
        content += textOf(block, place);
        break;
      case "thinking":
        reasoning += requiredText(block["thinking"], `${place}.thinking`);
        break;
      case "redacted_thinking": // of another model, which alone can read it
        break;
      case "tool_use":
        toolCalls.push(callOf(block, place, called));
        break;
      default:
        throw notSupported(block, place);
    }
  });
  return {
    role: "assistant",
    content,
    ...(reasoning !== "" && { reasoning }),
    ...(toolCalls.length > 0 && { toolCalls }),
  };
}

function callOf({ id: given, name: tool, input }: Members, at: string, called: Called): ToolCall {
  const id = requiredString(given, `${at}.id`);
  const name = requiredString(tool, `${at}.name`);
  called.set(id, name);
  return { id, name, args: argumentsOf(input ?? "", `${at}.input`) };
}

function requiredText(value: unknown, at: string): string {
  if (typeof value !== "string") throw wrong(at, "a string", value);
  return value;
}
