// Programs that use models over HTTP, and are too large for development dependencies: 1.3 GB installed. `npm run
// test:clients` installs them, and names their folder in LLAMA_HOOKS_CLIENTS.
import { spawn } from "node:child_process";
import { once } from "node:events";
import path from "node:path";
import { onTestFinished } from "vitest";
import { openServer, type Served } from "../http/server.js";
import type { Script } from "../engine.js";

/** The folder with their packages. */
export const clients = process.env["LLAMA_HOOKS_CLIENTS"];
/** For the titles of tests. */
export const whySkipped = clients === undefined ? " (skipped: npm run test:clients installs it)" : "";

/** A server whose models take the prompts of coding agents: up to 48,000 tokens of a script model. */
export const openLarge = (script: Script): Promise<Served> => openServer(script, {}, { contextSize: 65_536 });

/** How a program has ended, and what it has written. */
export interface Ended {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** One program that runs. */
export interface Program {
  readonly ended: Promise<Ended>;
  kill(signal: NodeJS.Signals): void;
}

/** Where a program runs. */
export interface StartOptions {
  readonly cwd: string;
  readonly env?: NodeJS.ProcessEnv;
  /** Gets all that the program has written on stdout, whenever that grows. */
  readonly onOutput?: (stdout: string) => void;
}

/** Starts one of the coding agents in a separate home folder. Killed when the test ends. */
export function startAgent(
  name: string,
  args: readonly string[],
  { home, env }: { readonly home: string; readonly env?: NodeJS.ProcessEnv },
): Program {
  const homes = { HOME: home, XDG_CONFIG_HOME: home, XDG_DATA_HOME: home, XDG_CACHE_HOME: home };
  return start(path.join("agents", "node_modules", ".bin", name), args, { cwd: home, env: { ...homes, ...env } });
}

/** Starts a program of the folder. Killed when the test ends. */
export function start(file: string, args: readonly string[], { cwd, env, onOutput }: StartOptions): Program {
  const child = spawn(path.join(clients ?? "", file), args, {
    cwd,
    env: { ...process.env, PWD: cwd, ...env }, // opencode takes its folder from PWD
    stdio: ["ignore", "pipe", "pipe"],
    detached: true, // some of them start processes of their own
  });
  const kill = (signal: NodeJS.Signals): void => {
    if (child.exitCode === null && child.signalCode === null) process.kill(-(child.pid ?? 0), signal);
  };
  onTestFinished(() => kill("SIGKILL"));
  const said = { stdout: "", stderr: "" };
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    said.stdout += text;
    onOutput?.(said.stdout);
  });
  child.stderr.setEncoding("utf8").on("data", (text: string) => (said.stderr += text));
  const ended = once(child, "close").then(([code]) => ({ code: code as number | null, ...said }));
  return { ended, kill };
}

/** Kills a program in the middle of an endless answer, and resolves with how the engine says that the answer has ended. */
export async function killedWhileAnswered(
  open: (server: Served["server"], prompt: string) => Promise<Program>,
): Promise<string> {
  const { server, engine } = await openLarge([{ text: "On and on.", endless: true }]);
  const program = await open(server, "Say a lot");
  const finished = new Promise<string>((resolve) => {
    engine.hooks.on("postGenerate", ({ finishReason }) => resolve(finishReason), { observe: true });
  });
  let tokens = 0;
  engine.hooks.on("streamToken", () => {
    if (++tokens === 5) program.kill("SIGKILL");
    return undefined;
  });
  return finished;
}
