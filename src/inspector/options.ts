// The options of an inspector.
import { randomBytes } from "node:crypto";
import { checkObject, isObject, optionalInteger, optionalName, optionalOneOf, wrong } from "../base/check.js";
import type { Questions } from "../ready-hooks/index.js";

/** Options of `inspectFiles()`. */
export interface InspectFilesOptions {
  /** The port on 127.0.0.1 [0: a free one]. */
  readonly port?: number;
  /** The token that the page needs: at least 16 characters without spaces [random]. */
  readonly token?: string;
}

/** Options of `inspect()`. */
export interface InspectOptions extends InspectFilesOptions {
  /** Saved traces and recordings that the page opens beside the engine [none]. */
  readonly files?: readonly string[];
  /**
   * The number of events that are kept for pages that are opened later [20,000]; for decisions about single tokens, a
   * quarter of that number is kept in addition. The older ones are lost, and the page says how many.
   */
  readonly history?: number;
  /**
   * The list of questions that the page shows and answers [none]: that of `questions()` of `llama-hooks/hooks`, whose
   * hooks you add to the engine.
   */
  readonly questions?: Pick<Questions, "open" | "answer" | "on">;
  /**
   * The values of fields that are kept for the page: "left", the values after the hooks; "raw", also the values before
   * the hooks, with every secret that hooks mask; "none", only the names of changed fields ["left"]. At most 16 million
   * characters are kept.
   */
  readonly values?: "left" | "raw" | "none";
}

/** Checked options, with their defaults. */
export type CheckedInspect = Required<Omit<InspectOptions, "questions">> & Pick<InspectOptions, "questions">;

const defaultHistory = 20_000;

export function checkInspectOptions(options: InspectOptions | undefined, what: string): CheckedInspect {
  const given = checkObject(options, what, ["port", "token", "files", "history", "questions", "values"]);
  const { files = [] } = given;
  if (!Array.isArray(files) || !files.every((file) => typeof file === "string"))
    throw wrong(`${what}: files`, "an array of paths", files);
  return {
    ...checkBasics(given, what),
    ...checkQuestions(given.questions, `${what}: questions`),
    files,
    history: optionalInteger(given.history, `${what}: history`, 100) ?? defaultHistory,
    values: optionalOneOf(given.values, `${what}: values`, ["left", "raw", "none"]) ?? "left",
  };
}

export function checkFilesOptions(options: InspectFilesOptions | undefined, what: string): CheckedInspect {
  const given = checkObject(options, what, ["port", "token"]);
  return { ...checkBasics(given, what), files: [], history: defaultHistory, values: "none" };
}

function checkQuestions(questions: unknown, what: string): Pick<InspectOptions, "questions"> {
  if (questions === undefined) return {};
  if (!isObject(questions) || !["open", "answer", "on"].every((name) => typeof questions[name] === "function"))
    throw wrong(what, "a list of questions()", questions);
  return { questions: questions as unknown as Questions };
}

function checkBasics(given: { readonly [K in keyof InspectFilesOptions]?: unknown }, what: string) {
  const port = optionalInteger(given.port, `${what}: port`, 0) ?? 0;
  if (port > 65_535) throw wrong(`${what}: port`, "an integer of at most 65535", port);
  const token = optionalName(given.token, `${what}: token`) ?? randomBytes(24).toString("base64url");
  // Its text must not appear in an error.
  if (!/^[\w.~-]{16,200}$/.test(token))
    throw new TypeError(`${what}: token must have at least 16 characters, only letters, digits, ".", "_", "~" and "-"`);
  return { port, token };
}
