// A headless Chromium for tests of pages: the system's own, since none is downloaded.
import { accessSync, constants } from "node:fs";
import path from "node:path";
import { type Browser, chromium, type Page } from "playwright-core";

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

/** WCAG's contrast of every visible text with the background that it stands on. */
export function textContrasts(page: Page): Promise<{ text: string; contrast: number }[]> {
  return page.evaluate(`(() => {
    const channels = (color) => color.match(/[\\d.]+/g).map(Number);
    const luminance = ([r, g, b]) => [r, g, b]
      .map((part) => part / 255)
      .map((part) => part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4)
      .reduce((sum, part, i) => sum + part * [0.2126, 0.7152, 0.0722][i], 0);
    const background = (element) => {
      const color = channels(getComputedStyle(element).backgroundColor);
      return color[3] === 0 && element.parentElement ? background(element.parentElement) : color;
    };
    return [...document.body.querySelectorAll("*")]
      .filter((element) => element.checkVisibility() && [...element.childNodes].some((node) => node.nodeType === 3 && node.data.trim()))
      .map((element) => {
        const pair = [channels(getComputedStyle(element).color), background(element)].map(luminance).sort((a, b) => b - a);
        return { text: element.textContent, contrast: (pair[0] + 0.05) / (pair[1] + 0.05) };
      });
  })()`);
}
