// A headless Chromium for tests of pages: the system's own, since none is downloaded.
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

/** LLAMA_HOOKS_CHROMIUM, or the first usual name on PATH; undefined if there is none. */
export function findBrowser(): string | undefined {
  const named = process.env["LLAMA_HOOKS_CHROMIUM"];
  if (named) return named;
  const folders = (process.env["PATH"] ?? "").split(path.delimiter).filter(Boolean);
  return folders.flatMap((folder) => NAMES.map((name) => path.join(folder, name))).find(runs);
}

/** Why tests with a browser are skipped. Undefined: they run, or must run and will fail without one. */
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
