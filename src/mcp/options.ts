// The options of mcpTools() and their checks.
import type { Client } from "@modelcontextprotocol/client";
import {
  checkObject,
  isObject,
  optionalBoolean,
  optionalFunction,
  optionalInteger,
  optionalName,
  optionalStrings,
  optionError,
  wrong,
} from "../base/check.js";
import type { LlamaHooksError } from "../index.js";

/** Options of `mcpTools()`. */
export interface McpToolsOptions {
  /**
   * Begins the tools' names: with "files", the server's tool `read` is `files__read` for the model, the hooks and the
   * rules. 1 to 32 letters, digits, `-` and `_`, without `__` and without `_` at the end, so that names of two servers
   * with different prefixes never collide [none].
   */
  readonly prefix?: string;
  /** The `origin` of the tools, for hooks and rules ["mcp:" and the prefix; without a prefix "mcp"]. */
  readonly origin?: string;
  /** Names of the tools to take, as the server has them [all]. NOT_FOUND if the server has no tool of such a name. */
  readonly allow?: readonly string[];
  /** True: adds the tools `list_resources` and `read_resource` [false]. */
  readonly resources?: boolean;
  /** True: adds the tools `list_prompts` and `get_prompt` [false]. */
  readonly prompts?: boolean;
  /** Timeout of a call in milliseconds, which progress renews [`toolDeadlineMs` of the session]; 0: no timeout. */
  readonly deadlineMs?: number;
  /**
   * Maximum duration of a call in milliseconds, with or without progress; the time of questions to the user does not
   * count [600,000]. 0: no limit.
   */
  readonly maxCallMs?: number;
  /** Maximum duration of listing the server's tools, in milliseconds [30,000]. */
  readonly listTimeoutMs?: number;
  /** Maximum number of tools of the server; if it has more, listing fails with MCP_LIMIT [256]. */
  readonly maxTools?: number;
  /**
   * Called with a problem that belongs to no call: a changed list that cannot be read, a question that reaches no user
   * [the first ten are warnings of the process]. What it throws is ignored.
   */
  readonly onWarning?: (problem: LlamaHooksError) => void;
}

/** Checked options. */
export interface Setup {
  readonly prefix: string | undefined;
  readonly origin: string;
  readonly allow: ReadonlySet<string> | undefined;
  readonly resources: boolean;
  readonly prompts: boolean;
  readonly deadlineMs: number | undefined;
  readonly maxCallMs: number;
  readonly listTimeoutMs: number;
  readonly maxTools: number;
  readonly onWarning: McpToolsOptions["onWarning"];
}

const keys = [
  "prefix",
  "origin",
  "allow",
  "resources",
  "prompts",
  "deadlineMs",
  "maxCallMs",
  "listTimeoutMs",
  "maxTools",
  "onWarning",
] as const satisfies readonly (keyof McpToolsOptions)[];

/** Errors: `TypeError`, with the wrong option. */
export function checkOptions(options: unknown): Setup {
  const what = "mcpTools() options";
  const given = checkObject(options, what, keys);
  const prefix = optionalName(given.prefix, `${what}.prefix`);
  if (prefix !== undefined && (!/^[A-Za-z0-9_-]{1,32}$/.test(prefix) || /__|_$/.test(prefix)))
    throw wrong(`${what}.prefix`, '1 to 32 letters, digits, - and _, without "__" and without "_" at the end', prefix);
  const origin = optionalName(given.origin, `${what}.origin`);
  const allow = optionalStrings(given.allow, `${what}.allow`);
  optionalFunction(given.onWarning, `${what}.onWarning`);
  return {
    prefix,
    origin: origin ?? (prefix === undefined ? "mcp" : `mcp:${prefix}`),
    allow: allow && new Set(allow),
    resources: optionalBoolean(given.resources, `${what}.resources`) ?? false,
    prompts: optionalBoolean(given.prompts, `${what}.prompts`) ?? false,
    deadlineMs: optionalInteger(given.deadlineMs, `${what}.deadlineMs`, 0),
    maxCallMs: optionalInteger(given.maxCallMs, `${what}.maxCallMs`, 0) ?? 600_000,
    listTimeoutMs: optionalInteger(given.listTimeoutMs, `${what}.listTimeoutMs`, 1) ?? 30_000,
    maxTools: optionalInteger(given.maxTools, `${what}.maxTools`, 1) ?? 256,
    onWarning: given.onWarning as McpToolsOptions["onWarning"],
  };
}

const install = "npm install @modelcontextprotocol/client";

/** Errors: `TypeError`, if it is not a connected client of version 2. */
export function checkClient(client: unknown): Client {
  const what = "The client of mcpTools()";
  const expected = `a connected Client of @modelcontextprotocol/client 2 (${install})`;
  // A client of another copy of the package is one, too.
  if (typeof client !== "object" || client === null) throw wrong(what, expected, client);
  const given = client as Partial<Client>;
  if (typeof given.callTool !== "function" || typeof given.getProtocolEra !== "function")
    throw wrong(what, expected, client);
  if (given.transport === undefined)
    throw new TypeError(`${what} is not connected: call \`await client.connect(transport)\` first`);
  return given as Client;
}

/** Errors: `TypeError`, if the server does not have what an option asks for. */
export function checkCapabilities(client: Client, setup: Setup): void {
  const capabilities = client.getServerCapabilities();
  for (const option of ["resources", "prompts"] as const)
    if (setup[option] && !isObject(capabilities?.[option]))
      throw optionError(
        `mcpTools() options.${option}`,
        `mcpTools() options.${option} is set, but the server ${setup.origin} has no ${option}`,
      );
}
