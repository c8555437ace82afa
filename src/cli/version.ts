// `llama-hooks --version`. Must not: load the addon.
import { ownPackageJson } from "../base/package-json.js";

/** Of this package, and of the llama.cpp that it was built with. */
export function versionLine(): string {
  const { version, config } = ownPackageJson();
  return `${version} (llama.cpp ${config.llamaCpp})`;
}
