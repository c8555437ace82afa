// Makes tools for the engine from a server's list. Must not: let an entry that is wrong cost more than its own tool.
import type { Client } from "@modelcontextprotocol/client";
import { isObject } from "../base/check.js";
import { controlTools } from "../generated/tools.js";
import { tool, type Tool, type ToolSettings } from "../index.js";
import type { OpenCalls } from "./calls.js";
import { toolResult } from "./content.js";
import { beyond, quoted } from "./failures.js";
import { toolName } from "./names.js";
import type { Setup } from "./options.js";

/** A tool of a server that a session is not given. */
export interface SkippedTool {
  /** The name that the server gives it; shortened, if it is very long. */
  readonly name: string;
  /** The reason, for people. */
  readonly reason: string;
}

/** The tools of a list, and the entries that are none. */
export interface MadeTools {
  readonly tools: readonly Tool[];
  readonly skipped: readonly SkippedTool[];
}

/** The server that tools call. */
export interface Server {
  readonly client: Client;
  readonly setup: Setup;
  readonly calls: OpenCalls;
}

/** `own`: tools that come first. Errors: MCP_LIMIT for more tools than `maxTools`. */
export function makeTools(server: Server, entries: readonly unknown[], own: readonly Tool[]): MadeTools {
  const { allow, maxTools, origin, prefix } = server.setup;
  const tools = new Map<string, Tool>(own.map((one) => [one.name, one]));
  const skipped: SkippedTool[] = [];
  let taken = 0;
  for (const entry of entries) {
    const name = isObject(entry) && typeof entry["name"] === "string" ? entry["name"] : "";
    if (allow !== undefined && !allow.has(name)) continue;
    if (++taken > maxTools)
      throw beyond(origin, `has more than ${maxTools} tools (maxTools); name the ones that you need in allow`);
    try {
      const made = makeTool(server, entry, name);
      if (tools.has(made.name)) throw new Error(`another tool is named ${made.name}, too`);
      if (prefix === undefined && (controlTools as readonly string[]).includes(made.name))
        throw new Error("a control tool of the engine has this name; set a prefix");
      tools.set(made.name, made);
    } catch (error) {
      const reason = error instanceof RangeError ? "it is nested too deeply" : (error as Error).message;
      skipped.push({ name: quoted(name), reason: quoted(reason) });
    }
  }
  return { tools: [...tools.values()], skipped };
}

/** Bytes that a tool may have as JSON: all of it becomes part of the prompt. */
const longestTool = 65_536;

const hints = ["readOnlyHint", "destructiveHint", "idempotentHint", "openWorldHint"] as const;

/** Throws what is wrong with the entry. */
function makeTool({ client, setup, calls }: Server, entry: unknown, name: string): Tool {
  if (!isObject(entry) || name === "") throw new Error("the entry of the list has no name");
  const { description, inputSchema, title, annotations, execution } = entry;
  if (!isObject(inputSchema) || inputSchema["type"] !== "object")
    throw new Error('its inputSchema is not a schema with the type "object"');
  const bytes = Buffer.byteLength(JSON.stringify({ name, description, inputSchema }));
  if (bytes > longestTool) throw new Error(`its description and schema have ${bytes} bytes, more than ${longestTool}`);
  if (isObject(execution) && execution["taskSupport"] === "required")
    throw new Error("it runs as an MCP task only, which is not supported");
  const given = isObject(annotations) ? annotations : {};
  const shown = { title: given["title"] ?? title, ...Object.fromEntries(hints.map((hint) => [hint, given[hint]])) };
  return tool({
    name: toolName(setup.prefix, name),
    description: typeof description === "string" ? description.replaceAll("\0", "\ufffd") : "",
    parameters: inputSchema,
    ...settings(setup, shown),
    run: async (args, context) => {
      const did = `did not run the tool ${quoted(name)}`;
      // Without an output schema, the client does not run regular expressions of the server on texts of the server.
      const toolDefinition = { name, inputSchema: { ...inputSchema, type: "object" as const } };
      return toolResult(
        await calls.run(context, did, (options) =>
          client.callTool({ name, arguments: args }, { ...options, toolDefinition }),
        ),
      );
    },
  }) as Tool;
}

/** The settings of all tools of a server. */
export function settings(setup: Setup, annotations: object): ToolSettings {
  const { deadlineMs, origin } = setup;
  return { origin, annotations, ...(deadlineMs !== undefined && { deadlineMs }) };
}
