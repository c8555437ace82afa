// The AI SDK in the versions that llama-hooks/ai-sdk serves, each with the version of the provider interface.
import * as v6 from "ai-v6";
import * as v7 from "ai-v7";
import { llamaHooks, type LlamaHooksProvider, type LlamaHooksSettings } from "../../../src/ai-sdk/index.js";
import type { Engine } from "../../../src/index.js";

/** The functions that tests call are the same in both. */
type Sdk = typeof v6;

// The tests read warnings from results.
(globalThis as { AI_SDK_LOG_WARNINGS?: boolean }).AI_SDK_LOG_WARNINGS = false;

interface Version {
  readonly name: string;
  readonly sdk: Sdk;
  readonly spec: "v3" | "v4";
  /** A provider whose models `sdk` takes. */
  provider(engine: Engine, settings?: Omit<LlamaHooksSettings, "spec">): LlamaHooksProvider<"v3">;
}

function version(name: string, sdk: unknown, spec: "v3" | "v4"): Version {
  return {
    name,
    sdk: sdk as Sdk,
    spec,
    provider: (engine, settings) => llamaHooks(engine, { ...settings, spec }) as LlamaHooksProvider as never,
  };
}

export const versions = [
  version("AI SDK 6", v6, "v3"),
  version("AI SDK 7", v7, "v3"),
  version("AI SDK 7 with interface 4", v7, "v4"),
] as const;

/** The items of a stream. */
export async function all<T>(stream: AsyncIterable<T>): Promise<T[]> {
  const items: T[] = [];
  for await (const item of stream) items.push(item);
  return items;
}

/** The metadata of this provider. */
export function facts(metadata: unknown): {
  readonly decisions: readonly { readonly point: string; readonly action: string; readonly reason: string | null }[];
  readonly cancel?: object;
  readonly halt?: object;
} {
  return (metadata as { llamaHooks: never }).llamaHooks;
}
