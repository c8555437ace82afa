// /sessions and /sessions/{session}: opens, lists, shows, forks and deletes the sessions of a key, and their questions.
import { type ErrorCode, LlamaHooksError } from "../../index.js";
import type { InputAnswer } from "../../ready-hooks/index.js";
import { ApiError, checked } from "../http/api-error.js";
import { type Answer, json } from "../http/exchange.js";
import type { OpenSession } from "../sessions/open-session.js";
import { cancelRequestOf, forkRequestOf, openRequestOf } from "../sessions/requests.js";
import type { SessionBook } from "../sessions/session-book.js";
import type { Visit } from "./visit.js";

/** POST /sessions */
export async function openSession(visit: Visit): Promise<Answer> {
  const { agent, user } = checked(() => openRequestOf(visit.body));
  const owner = visit.caller.name;
  const tags = { ...(owner !== undefined && { key: owner }), ...(user !== undefined && { user }) };
  const opened = await known(bookOf(visit).open({ owner, agent, tags }));
  return json(201, opened.view());
}

/** GET /sessions */
export async function listSessions(visit: Visit): Promise<Answer> {
  return json(200, { sessions: await bookOf(visit).list(visit.caller.name) });
}

/** GET /sessions/{session} */
export async function showSession(visit: Visit): Promise<Answer> {
  return json(200, (await sessionOf(visit)).view());
}

/** DELETE /sessions/{session} */
export async function deleteSession(visit: Visit): Promise<Answer> {
  const id = visit.names[0] ?? "";
  await known(bookOf(visit).delete(visit.caller.name, id));
  return json(200, { id, deleted: true });
}

/** GET /sessions/{session}/history */
export async function showHistory(visit: Visit): Promise<Answer> {
  const { session } = await sessionOf(visit);
  return json(200, { messages: session.history() });
}

/** POST /sessions/{session}/fork */
export async function forkSession(visit: Visit): Promise<Answer> {
  const { at } = checked(() => forkRequestOf(visit.body));
  const forked = bookOf(visit).fork(visit.caller.name, visit.names[0] ?? "", at);
  return json(201, (await known(forked, { NOT_FOUND: [400, "at"], INVALID_ARGUMENT: [400, "at"] })).view());
}

/** POST /sessions/{session}/cancel */
export async function cancelRun(visit: Visit): Promise<Answer> {
  const { reason } = checked(() => cancelRequestOf(visit.body));
  const { session } = await sessionOf(visit);
  const cancelled = session.runs.length;
  session.cancel(reason);
  return json(200, { cancelled });
}

/** GET /sessions/{session}/questions */
export async function listQuestions(visit: Visit): Promise<Answer> {
  return json(200, { questions: (await sessionOf(visit)).questions.open() });
}

/** POST /sessions/{session}/questions/{question} */
export async function answerQuestion(visit: Visit): Promise<Answer> {
  const { questions } = await sessionOf(visit);
  const id = visit.names[1] ?? "";
  try {
    questions.answer(id, visit.body as unknown as InputAnswer);
  } catch (error) {
    if (error instanceof LlamaHooksError)
      throw new ApiError(404, "This question is not open", { code: "question_not_open" });
    if (!(error instanceof TypeError)) throw error;
    const { param } = error as { readonly param?: string };
    throw new ApiError(400, error.message, { param: param?.replace(/^answer\./, "") });
  }
  return json(200, { id, answered: true });
}

/** The book of the server. Errors: 404 if it has no sessions. */
export function bookOf({ sessions }: Visit): SessionBook {
  if (sessions !== undefined) return sessions;
  const message =
    "This server opens no sessions; the option sessions of serve(), or --tools, --mcp or --session of the command, turns them on";
  throw new ApiError(404, message, { code: "sessions_off" });
}

/** The session that the path names. Errors: 404 if the key has none of that id. */
export function sessionOf(visit: Visit): Promise<OpenSession> {
  return known(bookOf(visit).get(visit.caller.name, visit.names[0] ?? ""));
}

type Statuses = Partial<Record<ErrorCode, readonly [status: number, param?: string]>>;

const usual: Statuses = { SESSION_BUSY: [409], NOT_FOUND: [404], SESSION_LOST: [409] };

/** Errors of the engine about a session, with their status. */
export async function known<T>(work: PromiseLike<T>, more: Statuses = {}): Promise<T> {
  try {
    return await work;
  } catch (error) {
    if (!(error instanceof LlamaHooksError)) throw error;
    const [status, param] = { ...usual, ...more }[error.code] ?? [];
    if (status === undefined) throw error;
    throw new ApiError(status, messages[error.code] ?? error.message, {
      code: error.code.toLowerCase(),
      param,
      cause: error,
    });
  }
}

const messages: Partial<Record<ErrorCode, string>> = {
  SESSION_BUSY: "A run of this session is under way",
  SESSION_LOST: "Another server has taken this session over",
};
