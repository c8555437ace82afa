// The page itself: its markup, style, code and Chart.js, the same for every client. Must not: contain data of an
// engine, because every client that reaches the port gets it without a token.
import { readdirSync, readFileSync } from "node:fs";
import { chartLibrary, sharedFile, sharedStyle } from "../../page/files.js";
import type { Answer } from "../../server/http/exchange.js";

const types: Readonly<Record<string, string>> = {
  html: "text/html; charset=utf-8",
  css: "text/css; charset=utf-8",
  js: "text/javascript; charset=utf-8",
};

/**
 * A policy for the page: only this server's code runs, it talks to this server alone, and no other page may frame it.
 */
const policy =
  "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:; " +
  "base-uri 'none'; form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'";

/** Headers of every answer. */
export const safeHeaders: Readonly<Record<string, string>> = {
  "cache-control": "no-store",
  "content-security-policy": policy,
  "cross-origin-opener-policy": "same-origin",
  "cross-origin-resource-policy": "same-origin",
  "referrer-policy": "no-referrer",
  "x-content-type-options": "nosniff",
};

// Reads from src/, also in the compiled code: dist/ has the same depth, and the package contains both.
const folder = new URL("../../../src/inspector/page/browser/", import.meta.url);

/** The files of the page by path. */
export class Assets {
  readonly #files = new Map<string, { readonly type: string; readonly text: string }>();

  constructor() {
    for (const name of readdirSync(folder)) {
      const type = types[name.replace(/^.*\./, "")];
      if (type === undefined) continue;
      const path = name === "index.html" ? "/" : `/${name}`;
      this.#files.set(path, { type, text: readFileSync(new URL(name, folder), "utf8") });
    }
    for (const name of sharedStyle) this.#files.set(`/${name}`, { type: types["css"] ?? "", text: sharedFile(name) });
    this.#files.set("/chart.js", { type: types["js"] ?? "", text: chartLibrary() });
  }

  /** The answer with the file of a path; undefined: there is none. */
  answer(path: string): Answer | undefined {
    const file = this.#files.get(path);
    return file && { status: 200, headers: { ...safeHeaders, "content-type": file.type }, body: file.text };
  }
}
