// The content of items: texts, and parts that are texts.
import { isObject, wrong } from "../../base/check.js";
import { unsupported } from "../http/api-error.js";

/** The member of a part that has its text, by the type of the part. */
type TextTypes = Readonly<Record<string, string>>;

const ofMessages: TextTypes = { input_text: "text", output_text: "text", refusal: "refusal" };
const ofReasoning: TextTypes = { reasoning_text: "text", summary_text: "text" };

/** The text of a message or of a result. Errors: `TypeError` with `param`; 400 for images, files and the like. */
export function textOf(content: unknown, at: string): string {
  if (typeof content === "string") return content;
  if (!Array.isArray(content)) throw wrong(at, "a string or an array of text parts", content);
  return joined(content, at, ofMessages, "");
}

/** The text of an item of reasoning; empty if it is encrypted, because only its own model can read it then. */
export function reasoningOf(item: Readonly<Record<string, unknown>>, at: string): string {
  const listOf = (name: string): string => {
    const parts = item[name] ?? [];
    if (!Array.isArray(parts)) throw wrong(`${at}.${name}`, "an array of text parts", parts);
    return joined(parts, `${at}.${name}`, ofReasoning, "\n");
  };
  const content = listOf("content");
  return content === "" ? listOf("summary") : content;
}

function joined(parts: readonly unknown[], at: string, types: TextTypes, between: string): string {
  return parts.map((part, index) => partOf(part, `${at}[${index}]`, types)).join(between);
}

function partOf(part: unknown, at: string, types: TextTypes): string {
  if (!isObject(part) || typeof part["type"] !== "string") throw wrong(at, "a part with a type", part);
  const { type } = part;
  const member = Object.hasOwn(types, type) ? types[type] : undefined;
  if (member === undefined) {
    const kind = JSON.stringify(type.slice(0, 40));
    throw unsupported(`Parts of the type ${kind} are not supported here: this server takes text`, `${at}.type`);
  }
  const text = part[member];
  if (typeof text !== "string") throw wrong(`${at}.${member}`, "a string", text);
  return text;
}
