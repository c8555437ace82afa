// The instructions and the input of a request in the engine's form.
import { isObject, optionalName, optionError, requiredString, wrong } from "../../base/check.js";
import type { Message, ToolCall } from "../../index.js";
import { ApiError, unsupported } from "../http/api-error.js";
import { argumentsOf } from "../protocol/past-arguments.js";
import { reasoningOf, textOf } from "./content.js";
import { joinedName } from "./tools.js";

type Members = Readonly<Record<string, unknown>>;

type Find = (id: string) => unknown;

/**
 * Converts an input. `find`: an item of an earlier answer. Errors: `TypeError` with `param`; 400 for content that is
 * not text, and for items of other kinds; 404 for a reference to an unknown item.
 */
export function turnsOf(instructions: string | undefined, input: unknown, find: Find): readonly Message[] {
  const turns = new Turns(find);
  if (instructions !== undefined && instructions !== "") turns.system(instructions);
  if (typeof input === "string") turns.add({ role: "user", content: input });
  else if (!Array.isArray(input)) throw wrong("input", "a string or an array of items", input);
  else if (input.length === 0) throw optionError("input", "input must not be empty");
  else input.forEach((item: unknown, index) => addItem(turns, item, `input[${index}]`));
  return turns.end();
}

/** An assistant's message whose items are still coming. */
interface Answer {
  content?: string;
  reasoning: string;
  readonly toolCalls: ToolCall[];
}

/** The messages so far. One message of an assistant is several items here: reasoning, texts and calls. */
class Turns {
  readonly #messages: Message[] = [];
  /** Names of the tools that have been called, by the ids of the calls. */
  readonly #called = new Map<string, string>();
  readonly #find: Find;
  readonly #referred = new Set<string>();
  #answer: Answer | undefined;

  constructor(find: Find) {
    this.#find = find;
  }

  /** The item of an earlier answer: once a request, so that a short request stays a short conversation. */
  referred(id: string, at: string): unknown {
    if (this.#referred.has(id)) throw optionError(at, `${at} refers to an item that is in the input already`);
    this.#referred.add(id);
    const found = this.#find(id);
    if (found !== undefined) return found;
    const message = `${at} refers to the item ${JSON.stringify(id)}, which this server does not have (any more)`;
    throw new ApiError(404, message, { param: at, code: "item_not_found" });
  }

  end(): readonly Message[] {
    if (this.#answer !== undefined) {
      const { content = "", reasoning, toolCalls } = this.#answer;
      this.#messages.push({
        role: "assistant",
        content,
        ...(reasoning !== "" && { reasoning }),
        ...(toolCalls.length > 0 && { toolCalls }),
      });
      this.#answer = undefined;
    }
    return this.#messages;
  }

  add(message: Message): void {
    this.end();
    this.#messages.push(message);
  }

  /** System messages at the beginning become one, because many chat templates take no second one. */
  system(content: string): void {
    this.end();
    const [first] = this.#messages;
    if (this.#messages.length === 1 && first?.role === "system")
      this.#messages[0] = { role: "system", content: `${first.content}\n\n${content}` };
    else this.#messages.push({ role: "system", content });
  }

  said(content: string): void {
    // The calls of a message stay with it, so that their results follow it.
    if (this.#answer?.content !== undefined && this.#answer.toolCalls.length === 0) this.end();
    const answer = this.#begin();
    answer.content = answer.content === undefined ? content : `${answer.content}\n${content}`;
  }

  thought(reasoning: string): void {
    if (reasoning === "") return;
    if (this.#answer?.content !== undefined && this.#answer.toolCalls.length === 0) this.end();
    const answer = this.#begin();
    answer.reasoning = answer.reasoning === "" ? reasoning : `${answer.reasoning}\n${reasoning}`;
  }

  call(id: string, name: string, args: Members): void {
    this.#called.set(id, name);
    this.#begin().toolCalls.push({ id, name, args });
  }

  result(id: string, content: string): void {
    const name = this.#called.get(id);
    this.add({ role: "tool", content, toolCallId: id, ...(name !== undefined && { toolName: name }) });
  }

  #begin(): Answer {
    return (this.#answer ??= { reasoning: "", toolCalls: [] });
  }
}

function addItem(turns: Turns, item: unknown, at: string): void {
  if (!isObject(item)) throw wrong(at, "an item with a type", item);
  const { type = item["id"] !== undefined && item["role"] === undefined ? "item_reference" : "message" } = item;
  switch (type) {
    case "message":
      return addMessage(turns, item, at);
    case "reasoning":
      return turns.thought(reasoningOf(item, at));
    case "function_call": {
      const name = requiredString(item["name"], `${at}.name`);
      const namespace = optionalName(item["namespace"] ?? undefined, `${at}.namespace`);
      const args = argumentsOf(item["arguments"], `${at}.arguments`);
      return turns.call(requiredString(item["call_id"], `${at}.call_id`), joinedName(namespace, name), args);
    }
    case "item_reference": {
      const id = requiredString(item["id"], `${at}.id`);
      return addItem(turns, turns.referred(id, `${at}.id`), at);
    }
    case "function_call_output":
      return turns.result(requiredString(item["call_id"], `${at}.call_id`), textOf(item["output"], `${at}.output`));
    default: {
      if (typeof type !== "string") throw wrong(`${at}.type`, "a string", type);
      const kind = JSON.stringify(type.slice(0, 40));
      throw unsupported(`Items of the type ${kind} are not supported here`, `${at}.type`);
    }
  }
}

function addMessage(turns: Turns, { role, content }: Members, at: string): void {
  const text = textOf(content, `${at}.content`);
  switch (role) {
    case "system":
    case "developer":
      return turns.system(text);
    case "user":
      return turns.add({ role, content: text });
    case "assistant":
      return turns.said(text);
    default:
      throw wrong(`${at}.role`, "one of system, developer, user, assistant", role);
  }
}
