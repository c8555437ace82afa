// Programs and signals where systems differ. Windows has no signals: Node makes ctrl-C, ctrl-break and the closing of
// the console look like some, and ends a process that is sent one.
import { spawnSync, type SpawnOptions } from "node:child_process";
import { statSync } from "node:fs";
import { constants } from "node:os";
import path from "node:path";

const isWindows = process.platform === "win32";

/** Signals that ask a server to end in order: those of a person at the keyboard, and those of the system. */
export const stopSignals: readonly NodeJS.Signals[] = [
  "SIGINT",
  "SIGTERM",
  ...(isWindows ? ["SIGBREAK" as const] : []),
];

/** Other signals that end the process, at which it only cleans up. */
export const endSignals: readonly NodeJS.Signals[] = ["SIGHUP", "SIGTERM", ...(isWindows ? ["SIGBREAK" as const] : [])];

/** The variable with the folders in which programs look for shared libraries. */
export const libraryPath: string = isWindows
  ? "PATH"
  : process.platform === "darwin"
    ? "DYLD_LIBRARY_PATH"
    : "LD_LIBRARY_PATH";

/** True if a backslash in a command line divides folders. Before a double quote it keeps the quote there, too. */
export const keepsBackslashes: boolean = isWindows;

/** True if ctrl-Z can suspend the process. */
export const canSuspend: boolean = !isWindows;

/** Ends this process as the signal would have, from a handler that was removed. */
export function endBy(signal: NodeJS.Signals): void {
  if (isWindows) process.exit(128 + constants.signals[signal]);
  process.kill(process.pid, signal);
}

/** The start of a program. */
export interface Start {
  readonly file: string;
  readonly args: readonly string[];
  readonly options: SpawnOptions;
}

/**
 * Starts a program so that ctrl-C in this terminal does not reach it, and so that `endGroup` ends it with the programs
 * that it has started. On Windows a name may mean a batch file, such as `npx`, as it does at the prompt; only folders
 * of PATH are searched. Throws if an argument of a batch file has a character that the command processor would expand.
 */
export function groupStart(words: readonly [string, ...string[]]): Start {
  const [command, ...args] = words;
  // A detached program would have no console, and those that it starts would each open one that is seen.
  if (!isWindows) return { file: command, args, options: { detached: true } };
  const file = programOf(command);
  if (!/\.(?:cmd|bat)$/i.test(file)) return { file, args, options: { windowsHide: true } };
  const expanded = [file, ...args].find((word) => /["%\r\n\0]/.test(word));
  if (expanded !== undefined)
    throw new Error(`${file} is a batch file, and the command processor would expand ${JSON.stringify(expanded)}`);
  const line = [file, ...args].map((word) => `"${word.replace(/\\+$/, "$&$&")}"`).join(" ");
  return {
    file: process.env["ComSpec"] ?? "cmd.exe",
    args: ["/d", "/v:off", "/s", "/c", `"${line}"`],
    options: { windowsHide: true, windowsVerbatimArguments: true },
  };
}

/** Ends the programs that `groupStart` started: all of them, or those that are left. On Windows every signal kills. */
export function endGroup(pid: number, signal: NodeJS.Signals): void {
  if (isWindows) {
    const taskkill = path.join(process.env["SystemRoot"] ?? "C:\\Windows", "System32", "taskkill.exe");
    const { status } = spawnSync(taskkill, ["/pid", String(pid), "/t", "/f"], { stdio: "ignore", windowsHide: true });
    if (status === 0) return;
  }
  try {
    process.kill(isWindows ? pid : -pid, signal);
  } catch {
    // Nothing is left in the group.
  }
}

/** The file that the command processor would start for a name; the name itself if there is none. */
function programOf(command: string): string {
  const { PATH = "", PATHEXT = ".COM;.EXE;.BAT;.CMD" } = process.env;
  const folders = /[\\/:]/.test(command) ? [""] : PATH.split(path.delimiter).filter(path.isAbsolute);
  const ends = PATHEXT.split(";").filter((end) => end.startsWith("."));
  const names = [...(path.extname(command) === "" ? [] : [command]), ...ends.map((end) => command + end)];
  const files = folders.flatMap((folder) => names.map((name) => path.join(folder, name)));
  return files.find((file) => statSync(file, { throwIfNoEntry: false })?.isFile()) ?? command;
}
