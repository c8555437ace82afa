// Writes the list of Node-API's functions, for native/platform/windows/node/imports.cpp:
//   node scripts/build/node-functions.mjs FILE
// Run by CMake.
import { writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { resolveTool } from "./llama-paths.mjs";

const { symbols } = createRequire(import.meta.url)(resolveTool("node-api-headers"));
const { node_api_symbols: ofNode, js_native_api_symbols: ofJavaScript } = symbols.v8; // NAPI_VERSION of the addon
const names = [...new Set([...ofJavaScript, ...ofNode])].sort();
writeFileSync(process.argv[2], names.map((name) => `LH_NODE_FUNCTION(${name})\n`).join(""));
