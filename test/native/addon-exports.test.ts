import { execFile } from "node:child_process";
import { createRequire } from "node:module";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { pointNames, POINTS } from "../../src/index.js";
import { node, quiet } from "../fixtures/child.js";

const run = promisify(execFile);
const addonFile = fileURLToPath(new URL("../../build/Release/llama_hooks.node", import.meta.url));
const addon = createRequire(import.meta.url)(addonFile) as { pointsJson(): string };

interface Row {
  readonly number: number;
  readonly name: string;
  readonly kind: string;
  readonly mutable?: readonly string[];
}

async function symbols(...flags: string[]): Promise<string[] | undefined> {
  try {
    const { stdout } = await run("nm", [...flags, addonFile]);
    return stdout
      .split("\n")
      .filter((line) => line !== "")
      .map((line) => line.trim().split(/\s+/).at(-1) ?? "");
  } catch (error) {
    console.log(`not checked: nm cannot be run (${String(error)})`);
    return undefined;
  }
}

test("the addon exports the C ABI, Entropic's allocator and what Node looks for, and nothing else", async () => {
  if (process.platform !== "linux") return console.log(`not checked: nm -D is of ELF, this is ${process.platform}`);
  const exported = await symbols("-D", "--defined-only");
  if (exported === undefined) return;
  for (const name of ["entropic_alloc", "entropic_free", "lh_alloc", "lh_free", "lh_hook_add", "lh_engine_create"]) {
    expect(exported).toContain(name);
  }
  const others = exported.filter((name) => !/^(?:lh_[a-z_0-9]+|entropic_(?:alloc|free))(?:@@.*)?$/.test(name));
  expect(others.sort()).toEqual(["napi_register_module_v1", "node_api_module_get_api_version_v1"]);
});

test("the addon has the points that the package has, by number, name and kind", () => {
  const native = JSON.parse(addon.pointsJson()) as Row[] | { points: Row[] };
  const rows = Array.isArray(native) ? native : native.points;
  expect(rows.map(({ number, name, kind }) => ({ number, name, kind }))).toEqual(
    pointNames.map((point) => {
      const { number, name, kind } = POINTS[point];
      return { number, name, kind };
    }),
  );
});

test("the addon that was built is for the Node-API version of the oldest Node supported", async () => {
  const { stdout, ...end } = await node(["-p", `require(${JSON.stringify(addonFile)}) && process.versions.napi`]);
  expect(end).toEqual(quiet(0));
  expect(Number(stdout)).toBeGreaterThanOrEqual(8);
});
