// Packages that need Node 22, and are no development dependencies, as `npm ci` would warn with Node 20: AI SDK 7, and
// @ai-sdk/openai-compatible 3 with version 4 of the provider interface. `npm run test:clients` installs them (vitest's
// mode "node-22"). Anywhere else the tests with them are skipped, and their titles say so.
import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import * as v6 from "ai-v6";
import { existsSync } from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { describe, test } from "vitest";
import { clients } from "./clients.js";

const packages = path.resolve(clients ?? "", "libraries", "node_modules");
const load = (name: string): Promise<unknown> =>
  import(pathToFileURL(createRequire(`${packages}/`).resolve(name)).href);

const isInstalled = clients !== undefined && existsSync(path.join(packages, "ai-sdk-v4"));

const titled = (title: string): string =>
  isInstalled ? title : `${title} (skipped: npm run test:clients installs it)`;

/** A test: one that needs them, or any other. */
export function testWith(isNeeded: boolean, title: string, body: () => Promise<void>): void {
  if (isNeeded) test.skipIf(!isInstalled)(titled(title), body);
  else test(title, body);
}

/** A group of tests: of those that need them, or of any others. */
export function describeWith(isNeeded: boolean, title: string, body: () => void): void {
  if (isNeeded) describe.skipIf(!isInstalled)(titled(title), body);
  else describe(title, body);
}

/** The folder of AI SDK 7, for programs. */
export const ai7Folder = path.join(packages, "ai");

/** AI SDK 7. Where it is missing its tests are skipped, and AI SDK 6 takes its place for the compiler. */
export const ai7 = (isInstalled ? await load("ai") : v6) as typeof v6;

/** The package for OpenAI-compatible servers with version 4 of the provider interface. */
export const { createOpenAICompatible: version4 } = (
  isInstalled ? await load("ai-sdk-v4") : { createOpenAICompatible }
) as { createOpenAICompatible: typeof createOpenAICompatible };
