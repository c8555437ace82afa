// Compiles native hook libraries in the tests that use them.
import { execFile } from "node:child_process";
import { readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import type { Engine, PointName } from "../../src/index.js";
import { tempDir } from "./engine.js";

const run = promisify(execFile);
const include = fileURLToPath(new URL("../../native/include", import.meta.url));

/**
 * Compiles C into a shared library and returns its path. The public headers are on the path unless `headers` is false.
 */
export async function compileLibrary(
  source: string,
  { headers = true, linkFlags = [] }: { headers?: boolean; linkFlags?: readonly string[] } = {},
): Promise<string> {
  const folder = await tempDir();
  const library = path.join(folder, "hook.so");
  await writeFile(path.join(folder, "hook.c"), source);
  const includes = headers ? ["-I", include] : [];
  const warnings = ["-std=c99", "-Wall", "-Wextra", "-pedantic", "-Werror"];
  await run("cc", [
    ...warnings,
    "-shared",
    "-fPIC",
    ...linkFlags,
    ...includes,
    "-o",
    library,
    path.join(folder, "hook.c"),
  ]);
  return library;
}

/** The start of a hook source: both headers, and the includes that examples need. */
export const prelude = `#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "llama_hooks/hooks.h"
#define HOOK(name) int name(int32_t point, const char *context, char **modified, void *data)
#define UNUSED (void)point, (void)context, (void)modified, (void)data
`;

/** Records every context of a point as a C hook gets it. Returns a function that reads the records. */
export async function recordRaw(engine: Engine, point: PointName): Promise<() => Promise<Record<string, unknown>[]>> {
  const notes = path.join(await tempDir(), "contexts");
  await writeFile(notes, "");
  const library = await compileLibrary(`${prelude}
HOOK(note) {
  FILE *file = fopen(${JSON.stringify(notes)}, "a");
  UNUSED;
  if (file == NULL) return 0;
  fprintf(file, "%s\\n", context);
  fclose(file);
  return 0;
}
`);
  engine.hooks.addNative({ library, symbol: "note", point, priority: -1000 });
  return async () => {
    const lines = (await readFile(notes, "utf8")).split("\n").filter((line) => line !== "");
    return lines.map((line) => JSON.parse(line) as Record<string, unknown>);
  };
}
