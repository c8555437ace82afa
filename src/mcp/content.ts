// Makes a server's result into the text for the model. Must not: leave anything out without saying so.
import type { CallToolResult, ContentBlock, ReadResourceResult } from "@modelcontextprotocol/client";
import type { ToolResult } from "../index.js";
import { unsaid } from "./structured.js";

type ResourceContents = ReadResourceResult["contents"][number];

/**
 * The result for the engine. The model gets texts unchanged, and a line of description in place of each block that it
 * cannot read. The caller gets the blocks themselves as parts, unless all are texts.
 */
export function toolResult(result: CallToolResult): ToolResult {
  const { content, structuredContent, isError } = result;
  const texts = content.map(blockText);
  const rest = structuredContent === undefined ? undefined : unsaid(structuredContent, textsIn(content));
  if (rest !== undefined) texts.push(JSON.stringify(rest));
  const parts: unknown[] = content.every(({ type }) => type === "text") ? [] : [...content];
  if (structuredContent !== undefined) parts.push({ type: "structured_content", structuredContent });
  const text = texts.join("\n");
  return {
    text: text === "" && isError === true ? "the tool failed and did not say why" : text,
    ...(isError === true && { isError }),
    ...(parts.length > 0 && { parts }),
  };
}

/** The block types of texts and of resources. */
function textsIn(content: readonly ContentBlock[]): string[] {
  return content.flatMap((block) => {
    if (block.type === "text") return [block.text];
    return block.type === "resource" && "text" in block.resource ? [block.resource.text] : [];
  });
}

/** A block as text for the model. */
export function blockText(block: ContentBlock): string {
  switch (block.type) {
    case "text":
      return block.text;
    case "image":
    case "audio":
      return note(`${block.type} ${line(block.mimeType)}, ${bytesOf(block.data)} bytes`);
    case "resource_link":
      return `[resource ${line(block.uri)} ${JSON.stringify(block.title ?? block.name)}${details(block)}]`;
    case "resource":
      return resourceText(block.resource);
    default:
      return note(`content of the type ${JSON.stringify((block as { type: unknown }).type)}`);
  }
}

/** The contents of a resource as text for the model. */
export function resourceText(resource: ResourceContents): string {
  const { uri, mimeType } = resource;
  if ("text" in resource) return `[resource ${line(uri)}]\n${resource.text}`;
  return note(
    `resource ${line(uri)}${mimeType === undefined ? "" : ` ${line(mimeType)}`}, ${bytesOf(resource.blob)} bytes`,
  );
}

function note(what: string): string {
  return `[${what}; not shown: you can read text only]`;
}

/** The type and description of a resource or a link to one. */
export function details(of: {
  readonly mimeType?: string | undefined;
  readonly description?: string | undefined;
}): string {
  return [of.mimeType, of.description].map((text) => (text === undefined ? "" : `, ${line(text)}`)).join("");
}

/** One line, so that a name cannot look like a further entry. */
export function line(text: string): string {
  return text.replace(/\s+/gu, " ");
}

function bytesOf(base64: string): number {
  return Buffer.byteLength(base64, "base64");
}
