// The messages of a request in the engine's form.
import { argumentsOf } from "../protocol/past-arguments.js";
import { isObject, optionalString, optionError, requiredString, wrong } from "../../base/check.js";
import type { Message, ToolCall } from "../../index.js";
import { unsupported } from "../http/api-error.js";

type Members = Readonly<Record<string, unknown>>;

/** Converts messages. Errors: `TypeError` with `param`; 400 for parts that are not text. */
export function messagesOf(value: unknown): Message[] {
  if (!Array.isArray(value)) throw wrong("messages", "an array of messages", value);
  if (value.length === 0) throw optionError("messages", "messages must not be empty");
  /** Names of the tools that have been called, by the ids of the calls. */
  const called = new Map<string, string>();
  return value.map((one: unknown, index) => {
    const at = `messages[${index}]`;
    if (!isObject(one)) throw wrong(at, "an object with role and content", one);
    const message = messageOf(one, at, called);
    for (const { id, name } of message.toolCalls ?? []) if (id !== undefined) called.set(id, name);
    return message;
  });
}

function messageOf(given: Members, at: string, called: ReadonlyMap<string, string>): Message {
  const { role, content } = given;
  switch (role) {
    case "system":
    case "developer":
      return { role: "system", content: textOf(content, `${at}.content`) };
    case "user":
      return { role: "user", content: textOf(content, `${at}.content`) };
    case "assistant":
      return assistantOf(given, at);
    case "tool": {
      const id = requiredString(given["tool_call_id"], `${at}.tool_call_id`);
      const name = called.get(id);
      const text = textOf(content, `${at}.content`);
      return { role: "tool", content: text, toolCallId: id, ...(name !== undefined && { toolName: name }) };
    }
    case "function":
      throw unsupported('The role "function" is not supported: use the role "tool"', `${at}.role`);
    default:
      throw wrong(`${at}.role`, "one of system, developer, user, assistant, tool", role);
  }
}

function assistantOf(given: Members, at: string): Message {
  const { content = null, refusal = null, tool_calls: calls = null, function_call: old = null } = given;
  if (old !== null) throw unsupported("function_call is not supported: use tool_calls", `${at}.function_call`);
  const toolCalls = calls === null ? [] : callsOf(calls, `${at}.tool_calls`);
  const reasoning = optionalString(
    given["reasoning_content"] ?? given["reasoning"] ?? undefined,
    `${at}.reasoning_content`,
  );
  const said = content ?? refusal;
  // An answer that was cut off before its first text has the content null; clients send it back.
  if (said === null && toolCalls.length === 0 && given["content"] === undefined)
    throw wrong(`${at}.content`, "a text, unless the message has tool_calls", given["content"]);
  return {
    role: "assistant",
    content: said === null ? "" : textOf(said, `${at}.content`),
    ...(reasoning !== undefined && { reasoning }),
    ...(toolCalls.length > 0 && { toolCalls }),
  };
}

/** The text of a content: a string, or an array of parts, all of them text. */
function textOf(content: unknown, at: string): string {
  if (typeof content === "string") return content;
  if (!Array.isArray(content)) throw wrong(at, "a string or an array of text parts", content);
  return content.map((part: unknown, index) => partOf(part, `${at}[${index}]`)).join("");
}

function partOf(part: unknown, at: string): string {
  if (!isObject(part)) throw wrong(at, 'a part: { type: "text", text }', part);
  const { type } = part;
  if (type !== "text" && type !== "refusal") {
    const kind = typeof type === "string" ? JSON.stringify(type.slice(0, 40)) : "that";
    throw unsupported(`Parts of the type ${kind} are not supported: this server takes text only`, `${at}.type`);
  }
  const text = part[type];
  if (typeof text !== "string") throw wrong(`${at}.${type}`, "a string", text);
  return text;
}

function callsOf(calls: unknown, at: string): ToolCall[] {
  if (!Array.isArray(calls)) throw wrong(at, "an array of tool calls", calls);
  return calls.map((call: unknown, index) => {
    const own = `${at}[${index}]`;
    if (!isObject(call) || !isObject(call["function"]))
      throw wrong(own, "{ id, type, function: { name, arguments } }", call);
    const { name, arguments: args } = call["function"];
    return {
      id: requiredString(call["id"], `${own}.id`),
      name: requiredString(name, `${own}.function.name`),
      args: argumentsOf(args, `${own}.function.arguments`),
    };
  });
}
