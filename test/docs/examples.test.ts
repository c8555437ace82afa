// The examples in docstrings: every one compiles against the package's entries.
import { execFile } from "node:child_process";
import { mkdir, readdir, readFile, symlink, writeFile } from "node:fs/promises";
import path from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import manifest from "../../package.json" with { type: "json" };
import { tempDir } from "../support/engine.js";

const root = fileURLToPath(new URL("../..", import.meta.url));
const entries = Object.keys(manifest.exports)
  .filter((entry) => /^\.(?:\/[\w-]+)?$/.test(entry))
  .map((entry) => `llama-hooks${entry.slice(1)}`);

/** Names that the text around an example defines, or another package. */
const given = `
  const engine: api.Engine;
  const session: api.Session;
  const messages: api.Message[];
  const tokens: number[];
  const search: api.SessionTool;
  const read: api.SessionTool;
  const readFile: api.SessionTool;
  const polite: api.HookSet;
  const alwaysSunny: api.HookSet;
  const guards: api.HookSet;
  const client: import("@modelcontextprotocol/client").Client;
  const tracerProvider: import("@opentelemetry/api").TracerProvider;
  const options: api.SessionOptions;
  function find(words: string, signal?: AbortSignal): Promise<string[]>;
  function writeFile(file: string, text: string): Promise<void>;`;

/** These are not installed here, or are a part of a class. */
const left = /from "ai"|StreamableHTTPClientTransport|^async append\(/m;

async function examples(): Promise<[file: string, code: string][]> {
  const files = (await readdir(path.join(root, "src"), { recursive: true })).filter((file) => file.endsWith(".ts"));
  const found = files.map(async (file): Promise<[string, string][]> => {
    const text = await readFile(path.join(root, "src", file), "utf8");
    return [...text.matchAll(/^ *\* ```ts\n(.*?)^ *\* ```/gms)].map(({ index, 1: code = "" }) => [
      `${file.replaceAll(/[\\/]/g, "-").slice(0, -3)}-${text.slice(0, index).split("\n").length}.mts`,
      code.replaceAll(/^ *\* ?/gm, ""),
    ]);
  });
  return (await Promise.all(found)).flat().filter(([, code]) => !left.test(code));
}

test("every example in a docstring compiles", async () => {
  const folder = await tempDir();
  await mkdir(path.join(folder, "node_modules"), { recursive: true });
  await symlink(root, path.join(folder, "node_modules", "llama-hooks"), "dir");
  for (const scope of ["@types", "@modelcontextprotocol", "@opentelemetry"])
    await symlink(path.join(root, "node_modules", scope), path.join(folder, "node_modules", scope), "dir");
  const names = new Map<string, string>();
  for (const entry of entries) {
    const file = (manifest.exports as Record<string, { default?: string } | string>)[
      `.${entry.slice("llama-hooks".length)}`
    ];
    const target = typeof file === "string" ? file : file?.default;
    const exported = (await import(pathToFileURL(path.join(root, target ?? "")).href)) as object;
    for (const name of Object.keys(exported)) if (!names.has(name)) names.set(name, entry);
  }
  const declared = [...names].map(([name, entry]) => `  const ${name}: typeof import("${entry}").${name};`);
  const context = `import type * as api from "llama-hooks";\ndeclare global {${given}\n${declared.join("\n")}\n}`;
  await writeFile(path.join(folder, "context.d.mts"), context);
  const all = await examples();
  expect(all.length).toBeGreaterThan(80);
  await Promise.all(all.map(([file, code]) => writeFile(path.join(folder, file), `${code}\nexport {};\n`)));
  const compilerOptions = { module: "nodenext", target: "es2023", strict: true, noEmit: true, types: ["node"] };
  const config = {
    compilerOptions: { ...compilerOptions, skipLibCheck: true },
    files: ["context.d.mts", ...all.map(([file]) => file)],
  };
  await writeFile(path.join(folder, "tsconfig.json"), JSON.stringify(config));
  const tsc = path.join(root, "node_modules", "typescript", "bin", "tsc");
  const said = await promisify(execFile)(process.execPath, [tsc, "-p", folder]).then(
    ({ stdout }) => stdout,
    ({ stdout }: { stdout: string }) => stdout,
  );
  expect(said).toBe("");
}, 300_000); // a compiler, on a machine that may be busy
