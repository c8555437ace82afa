// The clients of the matrix, each with its driver. Their versions: scripts/test/clients.
import type { Language } from "./driver.js";
import type { Exercise } from "./situations.js";

export interface Client {
  readonly name: string;
  readonly language: Language;
  readonly driver: string;
  readonly variant: string;
  readonly protocol: "chat" | "messages" | "responses";
  /** It has no way to show the reasoning that this protocol sends. */
  readonly hidesReasoning?: true;
  /** It does not tell that an answer was cut off: a streamed one, or any. */
  readonly hidesCut?: "streamed" | "any";
  /** It sends calls and their results as texts. */
  readonly writesResults?: true;
  /** It asks again by itself. */
  readonly retries?: true;
  /** The exercises that the library refuses for a model that it does not know, or does in another way, on any server. */
  readonly lacks?: readonly Exercise[];
}

const inPython = (name: string, driver: string, protocol: Client["protocol"], more: Partial<Client> = {}): Client => ({
  name: `${name} (Python), ${protocol}`,
  language: "Python",
  driver: `${driver}.py`,
  variant: protocol,
  protocol,
  ...more,
});

const inJavaScript = (
  name: string,
  driver: string,
  protocol: Client["protocol"],
  more: Partial<Client> = {},
): Client => ({
  name: `${name} (JavaScript), ${protocol}`,
  language: "JavaScript",
  driver: `${driver}.mjs`,
  variant: protocol,
  protocol,
  ...more,
});

export const clients: readonly Client[] = [
  inPython("openai", "openai_sdk", "chat"),
  inPython("openai", "openai_sdk", "responses"),
  inPython("anthropic", "anthropic_sdk", "messages"),
  inJavaScript("openai", "openai-sdk", "chat"),
  inJavaScript("openai", "openai-sdk", "responses"),
  inJavaScript("@anthropic-ai/sdk", "anthropic-sdk", "messages"),
  inJavaScript("ai with @ai-sdk/openai-compatible", "ai-sdk", "chat", { variant: "compatible" }),
  inJavaScript("ai with @ai-sdk/openai", "ai-sdk", "chat", { hidesReasoning: true }),
  inJavaScript("ai with @ai-sdk/openai", "ai-sdk", "responses"),
  inJavaScript("ai with @ai-sdk/anthropic", "ai-sdk", "messages"),
  inPython("langchain", "langchain_sdk", "chat", { hidesReasoning: true }),
  inPython("langchain", "langchain_sdk", "responses"),
  inPython("langchain", "langchain_sdk", "messages"),
  inJavaScript("langchain", "langchain", "chat", { hidesReasoning: true }),
  inJavaScript("langchain", "langchain", "responses", { hidesReasoning: true }),
  inJavaScript("langchain", "langchain", "messages"),
  inPython("pydantic-ai", "pydantic_ai_sdk", "chat", { retries: true }),
  inPython("pydantic-ai", "pydantic_ai_sdk", "responses", { retries: true, hidesCut: "streamed" }),
  inPython("litellm", "litellm_sdk", "chat"),
  inPython("litellm", "litellm_sdk", "messages", { lacks: ["typed", "reasoning"] }),
  inPython("llama-index", "llama_index_sdk", "chat", { hidesReasoning: true }),
  inPython("smolagents", "smolagents_sdk", "chat", {
    hidesReasoning: true,
    hidesCut: "streamed",
    writesResults: true,
  }),
  inJavaScript("@openai/agents", "openai-agents", "chat", { hidesReasoning: true, hidesCut: "any" }),
  inJavaScript("@openai/agents", "openai-agents", "responses", { lacks: ["cut"] }),
];
