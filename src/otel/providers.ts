// The provider and the server of a model, as the conventions have them.
import type { Attributes } from "@opentelemetry/api";
import * as names from "./conventions.js";
import type { Kind, Message } from "./messages.js";

/**
 * The conventions' names of providers, by the beginnings of the names that AI SDK packages give them
 * (`google.generative-ai`, `mistral.chat`). Other names stay as they are, up to the first dot.
 */
const providers: readonly (readonly [beginning: string, name: string])[] = [
  ["amazon-bedrock", "aws.bedrock"],
  ["azure", "azure.ai.openai"],
  ["google.generative-ai", "gcp.gemini"],
  ["google.vertex", "gcp.vertex_ai"],
  ["mistral", "mistral_ai"],
  ["xai", "x_ai"],
];

/** Kinds of work that the engine itself does, even if a remote model computes a part. */
const own: ReadonlySet<Kind> = new Set(["run", "toolCall", "plan"]);

/** True if a server does the work. */
export function isElsewhere(kind: Kind, { address }: Message): boolean {
  return address !== undefined && !own.has(kind);
}

/** The attributes of the provider and the server. */
export function whereIs(kind: Kind, message: Message): Attributes {
  const { address } = message;
  if (address === undefined || !isElsewhere(kind, message)) return { [names.providerName]: names.provider };
  if (!/^https?:/.test(address)) return { [names.providerName]: providerOf(address) };
  const { protocol, hostname, port } = new URL(address);
  return {
    // The conventions name the protocol here, also if another product speaks it.
    [names.providerName]: "openai",
    [names.serverAddress]: hostname.replace(/^\[(.*)\]$/, "$1"), // IPv6
    [names.serverPort]: port === "" ? (protocol === "https:" ? 443 : 80) : Number(port),
  };
}

function providerOf(name: string): string {
  return providers.find(([beginning]) => name.startsWith(beginning))?.[1] ?? name.replace(/\..*$/s, "");
}
