// The files that all pages share: colours and base of their style, and Chart.js. Must not: contain anything of a single
// page.
import { readFileSync } from "node:fs";

/** The style that comes before that of each page: its files, in this order. */
export const sharedStyle: readonly string[] = ["colors.css", "base.css"];

/** The text of a file in page/browser/. Reads from src/, also in the compiled code: the package contains both. */
export function sharedFile(name: string): string {
  return readFileSync(new URL(`../../src/page/browser/${name}`, import.meta.url), "utf8");
}

/** The text of Chart.js, which the build copies into dist/ (scripts/build/copy-chart.mjs). */
export function chartLibrary(): string {
  const source = readFileSync(new URL("../../dist/page/chart.umd.min.js", import.meta.url), "utf8");
  // The page has no source map beside it.
  return source.replace(/\n\/\/# sourceMappingURL=.*\s*$/, "\n");
}
