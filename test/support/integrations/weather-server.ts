// An MCP server with one tool, as a program that coding agents start.
import { writeFile } from "node:fs/promises";
import path from "node:path";

const source = `
  import { createInterface } from "node:readline";
  const properties = { city: { type: "string" }, days: { type: "integer" } };
  const tool = { name: "weather", description: "The weather in a city.", inputSchema: { type: "object", properties, required: ["city"] } };
  for await (const line of createInterface({ input: process.stdin })) {
    const { id, method, params } = JSON.parse(line);
    const results = {
      initialize: { protocolVersion: params?.protocolVersion, capabilities: { tools: {} }, serverInfo: { name: "w", version: "1" } },
      "tools/list": { tools: [tool] },
      "tools/call": { content: [{ type: "text", text: "3 degrees in " + params?.arguments?.city }] },
    };
    if (id !== undefined) console.log(JSON.stringify({ jsonrpc: "2.0", id, result: results[method] ?? {} }));
  }`;

/** Writes the program, and returns its path. */
export async function writeWeatherServer(folder: string): Promise<string> {
  const file = path.join(folder, "mcp.mjs");
  await writeFile(file, source);
  return file;
}
