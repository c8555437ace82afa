// The licences of the software in our packages, verbatim.
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { sourceDir } from "../../build/llama-paths.mjs";

const require = createRequire(import.meta.url);

function licenceOf(name) {
  let folder = dirname(require.resolve(name));
  while (readFolderName(folder) !== name) folder = dirname(folder);
  return ["LICENSE.md", "LICENSE"].map((file) => readIfThere(join(folder, file))).find((text) => text !== undefined);
}

function readFolderName(folder) {
  const manifest = readIfThere(join(folder, "package.json"));
  return manifest === undefined ? undefined : JSON.parse(manifest).name;
}

function readIfThere(file) {
  try {
    return readFileSync(file, "utf8");
  } catch (error) {
    if (error.code === "ENOENT") return undefined;
    throw error;
  }
}

/** nlohmann/json states its licence in its header. */
function jsonLicence() {
  const header = readFileSync(join(sourceDir, "vendor", "nlohmann", "json.hpp"), "utf8");
  return header.slice(0, header.indexOf("#ifndef")).replaceAll(/^\/\/ ?/gm, "");
}

const page = (title, parts) =>
  [`# ${title}`, ...parts.map(([name, where, text]) => `## ${name}\n\n${where}\n\n${text.trim()}`)].join("\n\n") + "\n";

export function mainNotices() {
  return page("Third-party notices of llama-hooks", [
    ["Chart.js", "In dist/page/chart.umd.min.js.", licenceOf("chart.js")],
  ]);
}

export function platformNotices() {
  return page("Third-party notices of the addon of llama-hooks", [
    [
      "llama.cpp",
      "Headers, compiled in; its libraries come with the package this one depends on.",
      readFileSync(join(sourceDir, "LICENSE"), "utf8"),
    ],
    ["JSON for Modern C++", "Compiled in.", jsonLicence()],
    ["node-addon-api", "Headers, compiled in.", licenceOf("node-addon-api")],
  ]);
}
