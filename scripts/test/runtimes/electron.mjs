// Electron, as far as it can be tried without its program: the example is type-checked, and packed into a real archive
// by its own `asarUnpack`. Node then runs from what Electron would show of the archive: all files, of which those that
// lie beside it cannot be used inside it.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { copyFileSync, cpSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { fetchPackage } from "../install/tools.mjs";
import { projectDir } from "../../build/llama-paths.mjs";
import { writePrograms } from "./checks.mjs";

const example = join(projectDir, "examples", "electron");

/** Type-checks the example in an installed project, with Electron's types. */
function types(project, outer) {
  const folder = join(outer, "electron-types");
  cpSync(example, folder, { recursive: true });
  const electron = join(fetchPackage("electron", "45.5.0"), "electron.d.ts");
  const compilerOptions = {
    target: "es2022",
    module: "nodenext",
    lib: ["es2023", "dom", "esnext.disposable"],
    types: ["node"],
    typeRoots: [join(electron, "..", "..", "@types")],
    strict: true,
    noUncheckedIndexedAccess: true,
    exactOptionalPropertyTypes: true,
    skipLibCheck: true,
    allowJs: true,
    checkJs: true,
    noEmit: true,
    paths: { "llama-hooks": [join(project, "node_modules", "llama-hooks", "dist", "index.d.ts")] },
  };
  const include = [electron, "*.mjs", "*.cjs", "*.mts"];
  writeFileSync(join(folder, "tsconfig.json"), JSON.stringify({ compilerOptions, include }));
  const tsc = join(projectDir, "node_modules", "typescript", "bin", "tsc");
  try {
    execFileSync(process.execPath, [tsc, "-p", folder], { encoding: "utf8" });
  } catch (cause) {
    const { stdout, message } = cause;
    throw new Error(stdout || message, { cause });
  }
}

/** Makes app.asar of an installed project as Electron shows it, and app.asar.unpacked. Takes the project's files. */
async function archiveOf(project, outer, asarUnpack) {
  const asar = await import(pathToFileURL(join(fetchPackage("@electron/asar", "3.4.1"), "lib", "asar.js")).href);
  const app = join(outer, "app");
  mkdirSync(app);
  for (const part of ["node_modules", "package.json"]) renameSync(join(project, part), join(app, part));
  writePrograms(app);
  const archive = join(outer, "app.asar");
  const unpack = `{${asarUnpack.map((pattern) => `**/${pattern}`).join()}}`;
  await asar.createPackageWithOptions(app, archive, { unpack });
  const shown = join(outer, "shown");
  asar.extractAll(archive, shown);
  rmSync(app, { recursive: true });
  rmSync(archive);
  renameSync(shown, archive);
  const beside = readdirSync(`${archive}.unpacked`, { recursive: true, withFileTypes: true });
  for (const { parentPath, name } of beside.filter((entry) => entry.isFile())) {
    const file = join(parentPath.replace("app.asar.unpacked", "app.asar"), name);
    if (/\.(?:node|so|gguf)[.\d]*$|_host$/.test(name)) writeFileSync(file, "in an archive");
    else copyFileSync(join(parentPath, name), file);
  }
  return archive;
}

/** Checks by name. The last one takes the files of the project. */
export function electronChecks(project, outer) {
  return {
    "examples/electron: types": () => types(project, outer),
    "examples/electron: asarUnpack": async () => {
      const { build } = JSON.parse(readFileSync(join(example, "package.json"), "utf8"));
      const archive = await archiveOf(project, outer, build.asarUnpack);
      const run = (name) => execFileSync(process.execPath, [join(archive, name)], { cwd: outer, encoding: "utf8" });
      assert.equal(run("open.mjs"), "Hello! How can I help you?\n");
      run("own-model.mjs");
      assert.equal(run("isolated.mjs"), "la di da la\nENGINE_CRASHED\nla di da la\n");
    },
  };
}
