// `llama-hooks completion`: prints a script by which a shell completes commands and options.
import type { Command } from "commander";
import { bashCompletion } from "./bash.js";
import { fishCompletion } from "./fish.js";
import { completionTree } from "./command-tree.js";
import { powershellCompletion } from "./powershell.js";
import { zshCompletion } from "./zsh.js";

const scripts = {
  bash: bashCompletion,
  zsh: zshCompletion,
  fish: fishCompletion,
  powershell: powershellCompletion,
} as const;

export type Shell = keyof typeof scripts;

export const shells = Object.keys(scripts) as readonly Shell[];

export function completionScript(shell: Shell, program: Command): string {
  return scripts[shell](program.name(), completionTree(program));
}
