// Converts a prompt of the AI SDK to messages of the engine.
import { isObject } from "../base/check.js";
import type { Message, ToolCall } from "../index.js";
import { unsupported } from "./errors.js";
import type { PromptMessage, PromptPart } from "./specification.js";
import { toolMessage } from "./tool-output.js";

/** Errors: an UnsupportedFunctionalityError of the AI SDK that names the part, for a part that is not text. */
export function messagesOf(prompt: readonly PromptMessage[]): Message[] {
  return prompt.flatMap((message, index): Message[] => {
    const at = `prompt[${index}]`;
    switch (message.role) {
      case "system":
        return [{ role: "system", content: message.content }];
      case "user":
        return [{ role: "user", content: message.content.map((part, i) => textOf(part, `${at}[${i}]`)).join("\n") }];
      case "tool":
        // Answers to the AI SDK's own approval requests are no results.
        return message.content.flatMap((part, i) =>
          part.type === "tool-approval-response" ? [] : [toolMessage(part, `${at}[${i}]`)],
        );
      default:
        return assistantMessages(message.content, at);
    }
  });
}

function textOf(part: PromptPart, at: string): string {
  if (part.type === "text") return part.text ?? "";
  throw refused(part, at);
}

function refused({ type, mediaType }: PromptPart, at: string): Error {
  const kind = mediaType === undefined ? `a ${type} part` : `a ${type} part (${mediaType})`;
  return unsupported(`${type} parts`, `${at} is ${kind}: models of llama-hooks read text only`);
}

/** Several messages, if results of tools that a provider ran are between the parts. */
function assistantMessages(parts: readonly PromptPart[], at: string): Message[] {
  const messages: Message[] = [];
  let own: PromptPart[] = [];
  const flush = (): void => {
    if (own.length > 0) messages.push(assistantMessage(own));
    own = [];
  };
  for (const [i, part] of parts.entries()) {
    if (part.type === "tool-result") {
      flush();
      messages.push(toolMessage(part, `${at}[${i}]`));
    } else if (part.type === "text" || part.type === "reasoning" || part.type === "tool-call") own.push(part);
    else throw refused(part, `${at}[${i}]`);
  }
  flush();
  return messages.length > 0 ? messages : [{ role: "assistant", content: "" }];
}

function assistantMessage(parts: readonly PromptPart[]): Message {
  const joined = (type: string): string =>
    parts.flatMap((part) => (part.type === type ? [part.text ?? ""] : [])).join("");
  const reasoning = joined("reasoning");
  const toolCalls = parts.flatMap((part) => (part.type === "tool-call" ? [toolCall(part)] : []));
  return {
    role: "assistant",
    content: joined("text"),
    ...(reasoning !== "" && { reasoning }),
    ...(toolCalls.length > 0 && { toolCalls }),
  };
}

/** Arguments that are no object, which the AI SDK has refused before, are shown as they are. */
function toolCall({ toolCallId = "", toolName = "", input }: PromptPart): ToolCall {
  return { id: toolCallId, name: toolName, args: isObject(input) ? input : { input: input ?? null } };
}
