// The inlined parts of the page: style, script, Chart.js and data, and the policy that forbids all other code.
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { gzipSync } from "node:zlib";
import { Html } from "../../src/base/html.js";
import { chartLibrary, sharedFile, sharedStyle } from "../../src/page/files.js";

export interface Inlined {
  readonly style: Html;
  readonly scripts: readonly Html[];
  /** A Content-Security-Policy, with which the browser never runs text of a result as code. */
  readonly policy: string;
}

export function inlined(): Inlined {
  const style = sharedStyle.map(sharedFile).join("") + pageFile("series.css") + pageFile("page.css");
  const library = inScript(chartLibrary());
  const drawing = inScript(pageFile("page.js"));
  return {
    style: new Html(`<style>${style}</style>`),
    scripts: [new Html(`<script>${library}</script>`), new Html(`<script type="module">${drawing}</script>`)],
    policy:
      `default-src 'none'; img-src data:; base-uri 'none'; form-action 'none'; ` +
      `style-src ${digest(style)}; script-src ${digest(library)} ${digest(drawing)}`,
  };
}

/**
 * Data for scripts: gzipped, because results are long, and in base64, which contains no character that HTML interprets.
 * Numbers keep six digits, more than the clocks measure.
 */
export function dataElement(id: string, value: unknown): Html {
  const data = gzipSync(JSON.stringify(value, sixDigits)).toString("base64");
  return new Html(`<script type="application/gzip" id="${id}">${data}</script>`);
}

function sixDigits(_: string, value: unknown): unknown {
  return typeof value === "number" && !Number.isInteger(value) ? Number(value.toPrecision(6)) : value;
}

/** Finds the file from its module and from the bundle, which is as deep (page-module.mjs). */
function pageFile(name: string): string {
  return readFileSync(new URL(`../../bench/page/browser/${name}`, import.meta.url), "utf8");
}

/**
 * Escapes the characters that would end the element in HTML. Code has them only in strings, where the backslash changes
 * nothing.
 */
function inScript(code: string): string {
  return code.replaceAll(/<(?=\/script|!--)/gi, String.raw`\x3c`);
}

function digest(code: string): string {
  return `'sha256-${createHash("sha256").update(code).digest("base64")}'`;
}
