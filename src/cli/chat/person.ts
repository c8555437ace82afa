// Asks the person at the terminal whether a tool call may run, when the rules of a session say `ask`.
import { setTimeout as sleep } from "node:timers/promises";
import type { Key } from "node:readline";
import type { HookSet } from "../../index.js";
import type { ApprovalRequest } from "../../ready-hooks/index.js";
import type { Keyboard } from "./keyboard.js";
import { sanitize, sanitizeName } from "../process/sanitize.js";
import type { Terminal } from "../process/terminal.js";
import { addOwnHook } from "../view/own-hooks.js";

const hookName = "person at the terminal";
/** Keys that arrive within this time were typed before the question, and do not answer it. */
const typedBeforeMs = 50;
const mostShown = 2000;

/** True: a person can read a question and press a key. */
export function isPersonThere(): boolean {
  return process.stdin.isTTY && process.stderr.isTTY;
}

/** The hooks that ask. If the call of a question has ended, the question is withdrawn, and the answer is a denial. */
export async function askPerson(terminal: Terminal, keyboard: Keyboard): Promise<HookSet> {
  const { approve } = await import("../../ready-hooks/index.js");
  addOwnHook(hookName);
  const ask = (request: ApprovalRequest): Promise<boolean> => mayRun(request, terminal, keyboard);
  return { ...approve({ ask }), name: hookName };
}

async function mayRun(request: ApprovalRequest, terminal: Terminal, keyboard: Keyboard): Promise<boolean> {
  keyboard.listen();
  await sleep(typedBeforeMs);
  terminal.note(terminal.style("yellow", questionOf(request)));
  process.stderr.write(terminal.style("bold", "y/n    "));
  try {
    const answer = await keyOf(request.signal, keyboard);
    process.stderr.write(`${answer === "y" ? "yes" : "no"}\n`);
    return answer === "y";
  } finally {
    keyboard.divert(undefined);
    keyboard.rest();
  }
}

function questionOf({ toolName, args, rule }: ApprovalRequest): string {
  const call = `${sanitizeName(toolName)}(${sanitize(JSON.stringify(args))})`;
  const left = call.length - mostShown;
  const shown = left > 0 ? `${call.slice(0, mostShown)}… and ${left} characters more` : call;
  return `may this call run? ${shown}${rule === null ? "" : ` (rule: ${sanitizeName(rule)})`}`;
}

/** Waits for the key that answers. ctrl-C denies, and also interrupts the run. */
function keyOf(signal: AbortSignal, keyboard: Keyboard): Promise<"y" | "n"> {
  return new Promise((resolve) => {
    const deny = (): void => resolve("n");
    if (signal.aborted) return deny();
    signal.addEventListener("abort", deny, { once: true });
    keyboard.divert((key: Key) => {
      if (key.ctrl === true && key.name === "c") {
        deny();
        process.kill(process.pid, "SIGINT");
      } else if (key.name === "y") resolve("y");
      else if (key.name === "n" || key.name === "escape" || (key.ctrl === true && key.name === "d")) deny();
    });
  });
}
