// Codex, with this server as its provider, and an MCP server with the tool `weather`.
import { writeFile } from "node:fs/promises";
import path from "node:path";
import { type Ended, startAgent } from "./clients.js";
import { writeWeatherServer } from "./weather-server.js";

export interface CodexOptions {
  /** The folder of its settings and conversations, in which it also works. */
  readonly home: string;
  readonly url: string;
  readonly model: string;
  /** Further lines of its settings. */
  readonly settings?: string;
}

/** Runs `codex exec` with further arguments, of which the last is the prompt. */
export async function runCodex({ home, url, model, settings = "" }: CodexOptions, ...args: string[]): Promise<Ended> {
  const config = `model = ${JSON.stringify(model)}
model_provider = "llama-hooks"
show_raw_agent_reasoning = true
${settings}
[model_providers.llama-hooks]
name = "llama-hooks"
base_url = "${url}"
wire_api = "responses"
stream_max_retries = 0
[mcp_servers.w]
command = ${JSON.stringify(process.execPath)}
args = [${JSON.stringify(await writeWeatherServer(home))}]
default_tools_approval_mode = "approve"
`;
  await writeFile(path.join(home, "config.toml"), config);
  const all = ["exec", "--skip-git-repo-check", "--cd", home, ...args];
  return startAgent("codex", all, { home, env: { CODEX_HOME: home } }).ended;
}
