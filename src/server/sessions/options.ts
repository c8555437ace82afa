// The options of sessions over HTTP and their checks.
import { checkObject, isObject, optionalBoolean, optionalInteger, optionError, wrong } from "../../base/check.js";
import type { SessionOptions } from "../../index.js";
import { checkSession } from "../../sessions/session-options.js";
import type { Questions } from "../../ready-hooks/index.js";

/** Sessions that clients may open. Defaults are in brackets. */
export interface ServedSessions {
  /**
   * The agents that clients may choose, by name: options of `engine.session()`, with the tools, rules and tiers that
   * only the owner of the server sets. Names have 1 to 128 letters, digits and `_-.:/@`.
   */
  readonly agents: Readonly<Record<string, Omit<SessionOptions, "id" | "history">>>;
  /** Maximum number of open sessions of the server [256]. */
  readonly limit?: number;
  /** Maximum number of sessions of one key, including stored ones; without keys, of all clients [64]. */
  readonly limitPerKey?: number;
  /**
   * Milliseconds after which a session is closed in which nothing happens; a stored one is kept in its store [3600000].
   */
  readonly idleMs?: number;
  /** Milliseconds in which a question must be answered; then the call is denied. 0: no timeout [0]. */
  readonly questionMs?: number;
  /**
   * A list of `questions()` whose hooks are the engine's: clients and the other readers of this list see the same
   * questions, and the first answer counts. `questionMs` is then the list's `deadlineMs` [each session has a separate
   * list].
   */
  readonly questions?: Pick<Questions, "open" | "answer" | "on">;
  /** True: sessions are kept in the store of the engine and continue after a restart; needs `sessionStore` [false]. */
  readonly stored?: boolean;
}

/** Options with their defaults. */
export type CheckedSessions = Required<Omit<ServedSessions, "questions">> & Pick<ServedSessions, "questions">;

const keys = ["agents", "limit", "limitPerKey", "idleMs", "questionMs", "questions", "stored"] as const;

/** Checks the options. Errors: `TypeError` with `param`. */
export function checkServedSessions(value: unknown, what: string): CheckedSessions | undefined {
  if (value === undefined) return undefined;
  const given = checkObject(value, what, keys);
  return {
    agents: checkAgents(given.agents, `${what}.agents`),
    limit: optionalInteger(given.limit, `${what}.limit`, 1) ?? 256,
    limitPerKey: optionalInteger(given.limitPerKey, `${what}.limitPerKey`, 1) ?? 64,
    idleMs: optionalInteger(given.idleMs, `${what}.idleMs`, 1) ?? 3_600_000,
    questionMs: optionalInteger(given.questionMs, `${what}.questionMs`, 0) ?? 0,
    ...checkQuestions(given.questions, `${what}.questions`),
    stored: optionalBoolean(given.stored, `${what}.stored`) ?? false,
  };
}

function checkQuestions(value: unknown, what: string): Pick<ServedSessions, "questions"> {
  if (value === undefined) return {};
  const isList = isObject(value) && ["open", "answer", "on"].every((name) => typeof value[name] === "function");
  if (!isList) throw wrong(what, "a list of questions()", value);
  return { questions: value as unknown as Pick<Questions, "open" | "answer" | "on"> };
}

function checkAgents(value: unknown, what: string): CheckedSessions["agents"] {
  if (!isObject(value)) throw wrong(what, "an object with options of sessions by name", value);
  const names = Object.keys(value);
  if (names.length === 0) throw optionError(what, `${what} must name at least one agent`);
  for (const name of names) {
    if (!/^[\w.:/@-]{1,128}$/.test(name))
      throw optionError(what, `${what} has the name ${JSON.stringify(name)}; names have letters, digits and _-.:/@`);
    const options = value[name];
    if (!isObject(options)) throw wrong(`${what}.${name}`, "an object with options of a session", options);
    // The id and the history belong to one session; an agent's options are for many.
    for (const own of ["id", "history"])
      if (options[own] !== undefined)
        throw optionError(`${what}.${name}.${own}`, `${what}.${name} must not have ${own}`);
    checkAgent(options, what, name);
  }
  return { ...value } as CheckedSessions["agents"];
}

/** Everything but what only the engine can tell, such as whether a grammar can be compiled. */
function checkAgent(options: unknown, what: string, name: string): void {
  try {
    checkSession(options);
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    const at = `${what}.${name}`;
    const { param } = error as { readonly param?: string };
    // A name such as "hf:user/repo" has no place in a path.
    const isPlain = /^[\w-]{1,64}$/.test(name);
    const place = isPlain ? (param === undefined ? at : `${at}.${param}`) : what;
    throw Object.assign(optionError(place, `${at}: ${error.message}`), { cause: error });
  }
}
