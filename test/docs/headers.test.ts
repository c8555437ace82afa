// The program in the comment at the top of each public header compiles.
import { execFile, execFileSync } from "node:child_process";
import { readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { tempDir } from "../support/engine.js";

const run = promisify(execFile);
const include = fileURLToPath(new URL("../../native/include", import.meta.url));

/** The lines of the first comment that are indented as code, from the first #include on. */
async function programOf(header: string): Promise<string> {
  const text = await readFile(path.join(include, "llama_hooks", header), "utf8");
  const comment = text.slice(0, text.indexOf("*/"));
  const [program = ""] = /^ \* {5}#include .*\n(?: \*(?: {5}.*)?\n)*/m.exec(comment) ?? [];
  return program.replaceAll(/^ \*(?: {5})?/gm, "");
}

function whyNotCompiled(): string {
  try {
    execFileSync("cc", ["--version"], { stdio: "ignore" });
    return "";
  } catch {
    return " (skipped: there is no C compiler named cc)";
  }
}

const skipped = whyNotCompiled();

test.skipIf(skipped !== "").each(["hooks.h", "engine.h"])(
  `the program at the top of %s compiles${skipped}`,
  async (header) => {
    const program = await programOf(header);
    expect(program).toContain("int main(");
    const file = path.join(await tempDir(), "program.c");
    await writeFile(file, program);
    const flags = ["-fsyntax-only", "-std=c11", "-Wall", "-Wextra", "-Werror"];
    await run("cc", [...flags, "-I", include, file]);
  },
);
