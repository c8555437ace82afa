// Converts options from the engine's form back to the public one. They were checked before.
import { isObject } from "../base/check.js";
import { camelTop } from "../base/wire.js";
import type { Message } from "../generated/points.js";
import { messagesFromWire } from "../generate/messages.js";
import type { WaitingAnswer } from "../sessions/session-options.js";

type Options = Record<string, unknown>;

/** The options of `engine.session()`, without its tools. */
export function sessionOptions(json: string): Options {
  const { id: _, tiers, phases, ...rest } = JSON.parse(json) as Options;
  return {
    ...withParams(rest),
    ...(isObject(tiers) && { tiers: tierOptions(tiers) }),
    ...(isObject(phases) && { phases: byName(phases) }),
  };
}

/** The tiers of a session. */
export function tierOptions(tiers: Options): Options {
  return byName(tiers);
}

/**
 * The options of `session.run()` and its input, with the messages before it, or those of `session.resume()` and its
 * answers, by id of the call.
 */
export function runOptions(json: string): {
  input: string;
  before?: readonly Message[];
  options: Options;
  answers: Readonly<Record<string, WaitingAnswer>> | undefined;
} {
  const { content = "", history, resume, ...rest } = JSON.parse(json) as Options;
  const answers = resume as Readonly<Record<string, WaitingAnswer>> | undefined;
  const before = history === undefined ? undefined : messagesFromWire(history);
  return { input: content as string, ...(before && { before }), options: withParams(rest), answers };
}

function withParams({ params, ...rest }: Options): Options {
  return { ...camelTop(rest), ...camelTop(params ?? {}) };
}

function byName(all: Options): Options {
  return Object.fromEntries(Object.entries(all).map(([name, options]) => [name, withParams(options as Options)]));
}
