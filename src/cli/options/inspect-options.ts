// The options about the inspector, of run, chat, serve and inspect.
import { type Command, InvalidArgumentError } from "commander";

export interface InspectOptions {
  readonly inspect?: boolean;
  readonly inspectPort?: number;
  readonly inspectRaw?: boolean;
}

export function addInspectOptions(command: Command): Command {
  return command
    .option("--inspect", "show the engine in a page on this machine, whose address goes to stderr")
    .option("--inspect-port <n>", "port of that page; 0: a free one (default: 0)", port)
    .option("--inspect-raw", "the page also keeps texts as they were before hooks changed them, with every secret");
}

/** True if one of the options asks for the page. */
export function asksForPage({ inspect, inspectPort, inspectRaw }: InspectOptions): boolean {
  return inspect === true || inspectPort !== undefined || inspectRaw === true;
}

export function port(text: string): number {
  const value = Number(text);
  if (!/^\d{1,5}$/.test(text) || value > 65_535) throw new InvalidArgumentError("It must be a port, from 0 to 65535.");
  return value;
}
