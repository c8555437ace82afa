// The content of messages: texts and blocks.
import { isObject, requiredString, wrong } from "../../base/check.js";
import { unsupported } from "../http/api-error.js";

/** A block of a content. */
export type Block = Readonly<Record<string, unknown>> & { readonly type: string };

/** The blocks of a content; a string is one block of text. Errors: `TypeError` with `param`. */
export function blocksOf(content: unknown, at: string): readonly Block[] {
  if (typeof content === "string") return [{ type: "text", text: content }];
  if (!Array.isArray(content)) throw wrong(at, "a string or an array of content blocks", content);
  return content.map((block: unknown, index) => {
    if (!isObject(block) || typeof block["type"] !== "string")
      throw wrong(`${at}[${index}]`, "a content block with a type", block);
    return block as Block;
  });
}

/** The text of a block of the type "text". */
export function textOf(block: Block, at: string): string {
  const { text } = block;
  if (typeof text !== "string") throw wrong(`${at}.text`, "a string", text);
  return text;
}

/** The text of a content that may have no other blocks. Errors: 400 for an image, a document and the like. */
export function onlyTextOf(content: unknown, at: string): string {
  return blocksOf(content, at)
    .map((block, index) => {
      const place = `${at}[${index}]`;
      if (block.type === "tool_reference") return referenceOf(block, place);
      if (block.type !== "text") throw notSupported(block, place);
      return textOf(block, place);
    })
    .join("");
}

/** A result of a search for tools: the model sees the tools themselves beside the others, so a name is enough. */
function referenceOf(block: Block, at: string): string {
  return `Found the tool ${requiredString(block["tool_name"], `${at}.tool_name`)}.\n`;
}

/** The error for a block of a type that this server does not take. */
export function notSupported({ type }: Block, at: string): Error {
  const kind = JSON.stringify(type.slice(0, 40));
  return unsupported(`Content blocks of the type ${kind} are not supported here: this server takes text`, `${at}.type`);
}
