// `npm run docs`: builds the documentation as a site, build/site: the pages of docs/ with navigation and search, the
// API pages of typedoc, and llms.txt. Fails if a link leads nowhere. Any server of files can serve the folder.
//   --address URL   where the site will be published; without it, the site belongs at the root of a server
// Must not: change a file outside build/.
import { cpSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { parseArgs } from "node:util";
import { Application, Converter } from "typedoc";
import { buildDir, projectDir } from "./build/llama-paths.mjs";
import { findFaults } from "./site/check-links.mjs";
import { fullText, llmsText } from "./site/llms.mjs";
import { manifest, pageFiles, pictures, sitePage, sitePath } from "./site/pages.mjs";
import { ensureVitePress, pagesDir, runVitePress } from "./site/vitepress.mjs";

const output = join(buildDir, "site");
const { values } = parseArgs({ options: { address: { type: "string", default: "/" } } });
const address = values.address.replace(/\/*$/, "/");

function write(folder, file, text) {
  mkdirSync(dirname(join(folder, file)), { recursive: true });
  writeFileSync(join(folder, file), text);
}

/** The settings that VitePress reads, which it bundles: paths are relative to the file. */
function settings() {
  const config = relative(join(pagesDir, ".vitepress"), join(projectDir, "scripts", "site", "config.mjs"));
  const from = JSON.stringify(config.replaceAll("\\", "/"));
  return `import { siteConfig } from ${from};\nexport default siteConfig(${JSON.stringify({ address, output })});\n`;
}

/** Returns the name by which users import a module that typedoc names by its folder in src/. */
function importOf(folder) {
  const types = folder === "index" ? "./dist/index.d.ts" : `./dist/${folder}/index.d.ts`;
  const [entry] = Object.entries(manifest.exports).find(([, { types: file }]) => file === types);
  return manifest.name + entry.slice(1);
}

async function writeApi() {
  const site = address === "/" ? "/" : new URL(address).pathname;
  const app = await Application.bootstrapWithPlugins({
    navigationLinks: { Documentation: site },
    navigation: { includeFolders: false },
  });
  app.converter.on(Converter.EVENT_RESOLVE_BEGIN, ({ project }) => {
    for (const module of project.children ?? []) module.name = importOf(module.name);
  });
  const project = await app.convert();
  if (project === undefined) throw new Error("typedoc cannot read the sources");
  app.validate(project);
  await app.generateDocs(project, join(output, "api"));
  if (app.logger.hasErrors() || app.logger.hasWarnings()) throw new Error("typedoc found faults");
}

ensureVitePress();
rmSync(pagesDir, { recursive: true, force: true });
rmSync(output, { recursive: true, force: true });
for (const file of pageFiles()) write(pagesDir, sitePath(file), sitePage(file));
for (const picture of pictures()) cpSync(join(projectDir, "docs", picture), join(pagesDir, picture));
write(pagesDir, ".vitepress/config.mjs", settings());
runVitePress();
await writeApi();
// The pages as Markdown, to which llms.txt links.
for (const file of pageFiles()) write(output, sitePath(file), sitePage(file));
write(output, "llms.txt", llmsText(address));
write(output, "llms-full.txt", fullText());
const faults = findFaults(output, address);
for (const fault of faults) console.error(fault);
console.log(`docs: ${pageFiles().length} pages in ${relative(process.cwd(), output)}, ${faults.length} dead links`);
process.exitCode = faults.length === 0 ? 0 : 1;
