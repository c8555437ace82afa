// The subpath llama-hooks/mcp: the tools, resources and prompts of MCP servers as tools of a session.
// Must not: import `@modelcontextprotocol/client` at run time; the caller brings a connected client.
/// <reference lib="esnext.disposable" preserve="true" />
export { limitedFetch } from "./limited-fetch.js";
export { mcpTools, type McpTools, type SkippedTool } from "./mcp-tools.js";
export type { McpToolsOptions } from "./options.js";
