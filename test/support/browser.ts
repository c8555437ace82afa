// A headless Chromium for tests of pages: the system's, since none is downloaded. Must not: use the network.
import { accessSync, constants } from "node:fs";
import path from "node:path";
import { type Browser, chromium } from "playwright-core";

const NAMES = ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome", "microsoft-edge"];

function runs(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/** LLAMA_HOOKS_CHROMIUM, or the first on PATH by its usual names; undefined when there is none. */
export function findBrowser(): string | undefined {
  const named = process.env["LLAMA_HOOKS_CHROMIUM"];
  if (named) return named;
  const folders = (process.env["PATH"] ?? "").split(path.delimiter).filter(Boolean);
  return folders.flatMap((folder) => NAMES.map((name) => path.join(folder, name))).find(runs);
}

/** Why tests with a browser are left out; undefined when they run, also where they must and will fail without one. */
export function whyNoBrowser(): string | undefined {
  if (findBrowser() || process.env["LLAMA_HOOKS_BROWSER"] === "required") return undefined;
  return "no Chromium on PATH; name one with LLAMA_HOOKS_CHROMIUM";
}

export async function openBrowser(): Promise<Browser> {
  const executablePath = findBrowser();
  if (!executablePath) throw new Error("LLAMA_HOOKS_BROWSER=required, and there is no Chromium");
  // Chromium's sandbox refuses to run as root, as in containers; the pages are our own.
  const args = process.getuid?.() === 0 ? ["--no-sandbox"] : [];
  return chromium.launch({ executablePath, args });
}
