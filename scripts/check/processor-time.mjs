// Runs a command, prints the processor time that it took, and fails if that is above its bound in
// processor-time.json: `node scripts/check/processor-time.mjs NAME COMMAND [ARGUMENT]...`; `--update` before the name
// writes the bound anew. A bound is in units of a fixed piece of work, which runs again and again beside the command,
// so that it holds on machines of other speeds and beside other work. Exits with the command's status if it failed.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync, writeFileSync } from "node:fs";
import { text } from "node:stream/consumers";
import { setTimeout as wait } from "node:timers/promises";

const file = new URL("processor-time.json", import.meta.url);
/** The factor by which chance, compilers and processors may lengthen a recorded time. */
const tolerance = 2;

/**
 * The program of one process of a unit. Like builds and tests, it starts, compiles, and touches new memory: on a busy
 * virtual machine such work takes two to three times its usual time, and work within the caches does not.
 */
const WORK = `
  const source = Array.from({ length: 4000 }, (_, i) => "function f" + i + "(a) { return [a, " + i + ", 'f']; }\\n");
  new Function(source.join("") + source.map((_, i) => "f" + i + "(1);").join(""))();
  const list = Array.from({ length: 20000 }, (_, i) => ({ i, text: "text " + i }));
  for (let round = 0; round < 3; round++) JSON.parse(JSON.stringify(list));
  Buffer.alloc(128e6, 1);
`;

/** Milliseconds between two units. */
const pause = 30_000;

/** The processor seconds of a unit: one to two. */
async function unit() {
  const script = Array(3).fill(`"$0" -e "$1"`).join(" && ");
  const { status, seconds } = await timed(["bash", "-c", script, process.execPath, WORK]);
  if (status !== 0) throw new Error(`a unit of work failed: ${status}`);
  return seconds;
}

/** Runs units until `ended`; the mean of their processor seconds. */
async function unitBeside(ended) {
  const all = [];
  do {
    all.push(await unit());
    await wait(pause, undefined, { signal: ended }).catch(() => undefined);
  } while (!ended.aborted);
  return all.reduce((sum, one) => sum + one) / all.length;
}

/** Runs the command in a shell that counts the time of all its processes, the kernel's for them included. */
async function timed(command) {
  const script = `TIMEFORMAT="%U %S"; { time "$@" 2>&3; } 3>&2 2>&4`;
  const shell = spawn("bash", ["-c", script, "bash", ...command], {
    stdio: ["inherit", "inherit", "inherit", "ignore", "pipe"],
  });
  const [output, [status]] = await Promise.all([text(shell.stdio[4]), once(shell, "exit")]);
  const [user, system] = output.trim().split("\n").at(-1).replaceAll(",", ".").split(" ").map(Number);
  return { status: status ?? 1, seconds: user + system };
}

const isUpdate = process.argv[2] === "--update";
const [name, ...command] = process.argv.slice(isUpdate ? 3 : 2);
const bounds = JSON.parse(readFileSync(file, "utf8"));
if (command.length === 0 || !(isUpdate || name in bounds))
  throw new TypeError(
    `usage: processor-time.mjs [--update] NAME COMMAND...; the names: ${Object.keys(bounds).join(", ")}`,
  );

const ended = new AbortController();
const beside = unitBeside(ended.signal);
const { status, seconds } = await timed(command);
ended.abort();
const units = Math.round(seconds / (await beside));
if (isUpdate) {
  bounds[name] = { recorded: units, bound: Math.ceil(units * tolerance) };
  writeFileSync(file, `${JSON.stringify(bounds, null, 2)}\n`);
}
const { recorded, bound } = bounds[name];
console.log(
  `${name}: ${seconds.toFixed(0)} s of processor time, ${units} units; recorded ${recorded}, at most ${bound}`,
);
if (status === 0 && units > bound) console.error(`${name} takes more processor time than it may`);
process.exitCode = status !== 0 ? status : units > bound ? 1 : 0;
