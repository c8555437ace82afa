// Limits how much one request may hold. A body of a few MB can hold so many tools or messages that they take gigabytes.
import { plural } from "../../base/plural.js";
import { badRequest } from "../http/api-error.js";
import type { CallRequest } from "./call-request.js";

/** The limits of a server. */
export interface Amounts {
  /** Maximum number of messages and tool calls of a conversation. */
  readonly maxMessages: number;
  /** Maximum number of tools. */
  readonly maxTools: number;
  /** Maximum number of texts to embed or rank, and of stop sequences and logit biases. */
  readonly maxInputs: number;
}

/**
 * Checks a request for an answer; `member` is the name of its messages. One message of a client may become several.
 * Errors: 400.
 */
export function checkCall({ messages, options }: CallRequest, amounts: Amounts, member: string): void {
  const calls = messages.reduce((sum, { toolCalls }) => sum + (toolCalls?.length ?? 0), 0);
  checkAmount(messages.length + calls, ["message", "messages"], amounts.maxMessages, "maxMessages", member);
  checkAmount(options.tools?.length ?? 0, ["tool", "tools"], amounts.maxTools, "maxTools", "tools");
  checkAmount(sizeOf(options.stop), ["stop sequence", "stop sequences"], amounts.maxInputs, "maxInputs", "stop");
  checkAmount(sizeOf(options.logitBias), ["bias", "biases"], amounts.maxInputs, "maxInputs", "logit_bias");
}

/** Checks the number of texts of a request. Errors: 400. */
export function checkInputs(inputs: readonly unknown[], { maxInputs }: Amounts, member: string): void {
  checkAmount(inputs.length, ["input", "inputs"], maxInputs, "maxInputs", member);
}

function sizeOf(value: unknown): number {
  return Array.isArray(value) ? value.length : 0;
}

function checkAmount(
  count: number,
  [one, many]: readonly [string, string],
  most: number,
  option: keyof Amounts,
  member: string,
): void {
  if (count <= most) return;
  const message = `${member} has ${plural(count, one, many)}: this server takes at most ${most} in a request (${option})`;
  throw badRequest(message, member, "array_above_max_length");
}
