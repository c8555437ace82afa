// The AI SDK in the versions that llama-hooks/ai-sdk serves, each with the version of the provider interface.
import * as v6 from "ai-v6";
import { llamaHooks, type LlamaHooksProvider, type LlamaHooksSettings } from "../../../src/ai-sdk/index.js";
import type { Engine } from "../../../src/index.js";
import { ai7, describeWith } from "./node-22.js";

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

function version(name: string, sdk: Sdk, spec: "v3" | "v4"): Version {
  return {
    name,
    sdk,
    spec,
    provider: (engine, settings) => llamaHooks(engine, { ...settings, spec }) as LlamaHooksProvider as never,
  };
}

const versions = [
  version("AI SDK 6", v6, "v3"),
  version("AI SDK 7", ai7, "v3"),
  version("AI SDK 7 with interface 4", ai7, "v4"),
];

/** Describes the same tests with each version. */
export function describeVersions(tests: (version: Version) => void): void {
  for (const [index, version] of versions.entries()) describeWith(index > 0, version.name, () => tests(version));
}

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
