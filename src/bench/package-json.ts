// What a package says about itself; for the command line, too. Must not: look for packages.
import { readFileSync } from "node:fs";

export interface PackageJson {
  readonly version: string;
  /** Of this package: the release of llama.cpp that it stands on. */
  readonly config: { readonly llamaCpp: string };
  readonly peerDependencies?: Readonly<Record<string, string>>;
}

/** Throws when there is none. */
export function readPackageJson(file: string | URL): PackageJson {
  return JSON.parse(readFileSync(file, "utf8")) as PackageJson;
}

/** This package's. */
export function ownPackageJson(): PackageJson {
  return readPackageJson(new URL("../../package.json", import.meta.url));
}
