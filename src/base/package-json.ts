// Reads package.json files.
import { readFileSync } from "node:fs";

export interface PackageJson {
  readonly version: string;
  /** Only this package has it: the release of llama.cpp that the addon is built with. */
  readonly config: { readonly llamaCpp: string };
  readonly peerDependencies?: Readonly<Record<string, string>>;
}

/** Throws if the file does not exist. */
export function readPackageJson(file: string | URL): PackageJson {
  return JSON.parse(readFileSync(file, "utf8")) as PackageJson;
}

/** The package.json of this package. */
export function ownPackageJson(): PackageJson {
  return readPackageJson(new URL("../../package.json", import.meta.url));
}
