// Converts options from the engine's form back to the public one. They were checked before.
import { isObject } from "../base/check.js";
import { camelTop } from "../base/wire.js";
import { messagesFromWire } from "../generate/messages.js";

type Options = Record<string, unknown>;

/** The options of `engine.session()`, without its tools. */
export function sessionOptions(json: string): Options {
  const { restore: _, record: __, id: ___, history, tiers, phases, ...rest } = JSON.parse(json) as Options;
  return {
    ...withParams(rest),
    ...(history !== undefined && { history: messagesFromWire(history) }),
    ...(isObject(tiers) && { tiers: byName(tiers) }),
    ...(isObject(phases) && { phases: byName(phases) }),
  };
}

/** The options of `session.run()`, and its input. */
export function runOptions(json: string): { input: string; options: Options } {
  const { content, ...rest } = JSON.parse(json) as Options;
  return { input: content as string, options: withParams(rest) };
}

function withParams({ params, ...rest }: Options): Options {
  return { ...camelTop(rest), ...camelTop(params ?? {}) };
}

function byName(all: Options): Options {
  return Object.fromEntries(Object.entries(all).map(([name, options]) => [name, withParams(options as Options)]));
}
