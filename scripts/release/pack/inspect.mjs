// Checks what a file of the addon's package needs of the system that loads it.
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { basename } from "node:path";

/** The versions that find-addon.ts states for older systems. */
const newest = { GLIBC: "2.34", GLIBCXX: "3.4.30" };

/** The macOS that llama.cpp's libraries need. */
const newestMacOS = "14.0";

/** The DLLs that every Windows 10 has. */
const ofWindows =
  /^(KERNEL32|ADVAPI32|SHELL32|USER32|OLE32|WS2_32|PSAPI|NTDLL|BCRYPT(PRIMITIVES)?)\.dll$|^api-ms-win-(core|crt)-[\w-]+\.dll$/i;

/** Our own files and llama.cpp's, which lie beside. */
const ofPackage = /^(lib)?(llama|ggml)[\w.-]*$/;

const output = (program, ...args) => execFileSync(program, args, { encoding: "utf8", maxBuffer: 2 ** 26 });
const isNewer = (version, than) => version.localeCompare(than, "en", { numeric: true }) > 0;

/** Removes the symbols that are not needed at run time. For Windows they are in separate files. */
export function strip(platform, file, prefix) {
  if (platform.startsWith("win32")) return;
  if (platform.startsWith("darwin") && process.platform !== "darwin") return;
  execFileSync(`${prefix ?? ""}strip`, [platform.startsWith("darwin") ? "-x" : "--strip-unneeded", file]);
}

/** Throws if a file needs more than is stated for its platform. */
export function inspect(platform, file, prefix = "") {
  if (platform.startsWith("win32")) return inspectWindows(file);
  if (platform.startsWith("darwin")) return inspectMacOS(file);
  if (platform.endsWith("-musl")) return inspectMusl(file);
  const text = output(`${prefix}objdump`, "-T", file);
  for (const [, library, version] of text.matchAll(/\b(GLIBC|GLIBCXX)_(\d[\d.]*)/g)) {
    if (isNewer(version, newest[library])) {
      throw new Error(
        `${file} needs ${library}_${version}, newer than ${newest[library]}: build it on an older system`,
      );
    }
  }
}

function needsOnly(file, libraries, isThere) {
  const foreign = libraries.find((name) => !isThere(name) && !ofPackage.test(name));
  if (foreign !== undefined) throw new Error(`${file} needs ${foreign}, which the system may not have`);
}

function inspectMusl(file) {
  const needed = [...output("objdump", "-p", file).matchAll(/NEEDED\s+(\S+)/g)].map(([, name]) => name);
  needsOnly(file, needed, (name) => name === "libc.so"); // whose name musl's loader takes for its own
}

function inspectWindows(file) {
  needsOnly(file, dllsOf(readFileSync(file)), (name) => ofWindows.test(name)); // no node.exe: see imports.cpp
}

/** The names in the import table of a library for Windows, where no program shows them. */
function dllsOf(file) {
  const header = file.readUInt32LE(0x3c);
  const optional = header + 24;
  const sections = Array.from(
    { length: file.readUInt16LE(header + 6) },
    (_, i) => optional + file.readUInt16LE(header + 20) + i * 40,
  );
  /** The place in the file of an address in memory. */
  const placeOf = (address) => {
    const section = sections.findLast((one) => file.readUInt32LE(one + 12) <= address);
    return address - file.readUInt32LE(section + 12) + file.readUInt32LE(section + 20);
  };
  const names = [];
  for (let entry = placeOf(file.readUInt32LE(optional + 120)); ; entry += 20) {
    const name = file.readUInt32LE(entry + 12);
    if (name === 0) return names;
    const begin = placeOf(name);
    names.push(file.toString("latin1", begin, file.indexOf(0, begin)));
  }
}

function inspectMacOS(file) {
  const [program, ...how] =
    process.platform === "darwin" ? ["otool", "-l"] : ["llvm-objdump", "--macho", "--private-headers"];
  const text = output(program, ...how, file);
  const needed = [...text.matchAll(/cmd LC_LOAD_DYLIB\n.*\n\s+name (\S+)/g)].map(([, name]) => name);
  needsOnly(
    file,
    needed.map((name) => (name.startsWith("@rpath/") ? basename(name) : name)),
    (name) => /^\/(usr\/lib|System\/Library)\//.test(name),
  );
  const [, least] = /cmd LC_BUILD_VERSION[\s\S]*?minos (\S+)/.exec(text) ?? [];
  if (least === undefined || isNewer(least, newestMacOS))
    throw new Error(`${file} needs macOS ${least}, not ${newestMacOS}`);
  const paths = [...text.matchAll(/cmd LC_RPATH\n.*\n\s+path (\S+)/g)].map(([, path]) => path);
  const absolute = paths.find((path) => !path.startsWith("@loader_path"));
  if (absolute !== undefined)
    throw new Error(`${file} looks for libraries in ${absolute}, of the machine that built it`);
}
