// questions(): keeps questions in a list until the program answers them. Must not: let a call run without an answer.
import { randomUUID } from "node:crypto";
import {
  checkObject,
  isObject,
  optionalFunction,
  optionalInteger,
  optionalOneOf,
  optionalString,
  optionError,
  wrong,
} from "../base/check.js";
import { isA, messageOf } from "../base/thrown.js";
import {
  cancel,
  type Cancel,
  defineHooks,
  type ElicitationAnswer,
  type HookSet,
  LlamaHooksError,
  type PermissionCheckAnswer,
} from "../index.js";
import { argumentsCheck } from "../sessions/arguments-check.js";
import { type ApprovalAnswer, permissionOf, requestOf } from "./approval.js";
import type {
  InputAnswer,
  InputQuestion,
  Question,
  QuestionEvent,
  Questions,
  QuestionsOptions,
} from "./question-types.js";

type Ended = Extract<QuestionEvent, { type: "settled" }>["by"];

/** A question and what becomes of it. */
interface Open {
  readonly question: Question;
  /** Checks an answer, and passes it on. Throws for a wrong one. */
  take(answer: unknown): void;
}

/** A question of the list, without what the list adds. */
type Unasked = Question extends infer Q ? (Q extends Question ? Omit<Q, "id" | "askedAt"> : never) : never;

class QuestionList implements Questions {
  readonly hooks: HookSet;
  readonly #most: number;
  readonly #open = new Map<string, Open>();
  readonly #listeners = new Set<(event: QuestionEvent) => void>();

  constructor({ also, deadlineMs = 0, limit = 100 }: QuestionsOptions) {
    this.#most = limit;
    this.hooks = defineHooks(
      "questions",
      {
        permissionCheck: (event) => {
          const request = requestOf(event, also);
          if (request === undefined) return undefined;
          const { signal, ...asked } = request;
          const full = { permission: "deny", reason: this.#full } as const;
          return this.#ask<PermissionCheckAnswer>({ kind: "permission", ...asked }, signal, full, (answer) =>
            permissionOf(answer, "answer", "."),
          );
        },
        elicitation: ({ action, toolName, message, schema, tier, meta, signal }) => {
          if (action !== "decline") return undefined; // another hook has answered
          const { sessionId, runId } = meta;
          const question = { kind: "input", toolName, message, schema, tier, sessionId, runId } as const;
          return this.#ask<ElicitationAnswer | Cancel>(question, signal, cancel(this.#full), (answer) =>
            inputOf(answer, schema),
          );
        },
      },
      { failClosed: true, deadlineMs },
    );
  }

  open(): readonly Question[] {
    return [...this.#open.values()].map(({ question }) => question);
  }

  answer(id: string, answer: ApprovalAnswer | InputAnswer): void {
    const open = this.#open.get(id);
    if (open === undefined) throw new LlamaHooksError("NOT_FOUND", "no open question has this id: it may be settled");
    open.take(answer);
  }

  on(listener: (event: QuestionEvent) => void): ReturnType<Questions["on"]> {
    if (typeof listener !== "function") throw wrong("The listener of on()", "a function", listener);
    const own = (event: QuestionEvent): void => listener(event); // the same function may listen twice
    this.#listeners.add(own);
    const dispose = (): void => void this.#listeners.delete(own);
    return { dispose, [Symbol.dispose]: dispose };
  }

  get #full(): string {
    return `the list of open questions is full: its limit is ${this.#most}`;
  }

  /** Waits for the answer. `full`: the answer if the list is full; `read` checks an answer. */
  #ask<Answer>(
    unasked: Unasked,
    signal: AbortSignal,
    full: Answer,
    read: (answer: unknown) => Answer,
  ): Answer | undefined | Promise<Answer | undefined> {
    if (signal.aborted) return undefined; // no caller waits for it
    if (this.#open.size >= this.#most) return full;
    const question: Question = Object.freeze({ id: randomUUID(), ...unasked, askedAt: Date.now() });
    return new Promise((resolve) => {
      const settle = (by: Ended, answer: Answer | undefined): void => {
        this.#open.delete(question.id);
        signal.removeEventListener("abort", leave);
        resolve(answer);
        this.#tell({ type: "settled", question, by });
      };
      const leave = (): void => {
        const { reason } = signal as { readonly reason: unknown };
        settle(isA(reason, LlamaHooksError) && reason.code === "HOOK_TIMEOUT" ? "deadline" : "abort", undefined);
      };
      signal.addEventListener("abort", leave);
      this.#open.set(question.id, { question, take: (answer) => settle("answer", read(answer)) });
      this.#tell({ type: "asked", question });
    });
  }

  #tell(event: QuestionEvent): void {
    for (const listener of this.#listeners) {
      try {
        listener(event);
      } catch (error) {
        process.emitWarning(`A listener of questions() threw: ${messageOf(error)}`);
      }
    }
  }
}

/**
 * Makes a list of open questions, for programs whose users answer from outside: over HTTP, in a browser, in a chat.
 * Calls for which the session's rules say `ask`, and tools that ask the user for input, wait until `answer()` is called
 * with the id of the question. It fails closed: a question without an answer denies the call, and a tool that asked
 * gets `cancel`. A question whose call or run is over leaves the list. Calls that a rule denies stay denied, and inputs
 * that another hook has answered are not asked for. Errors: `TypeError`, with the wrong option.
 *
 * @example
 * ```ts
 * const list = questions({ deadlineMs: 600_000 });
 * engine.hooks.use(list.hooks);
 * for (const question of list.open()) {
 *   if (question.kind === "permission") list.answer(question.id, { allow: true, remember: "tool" });
 *   else list.answer(question.id, { action: "accept", content: { city: "Oslo" } });
 * }
 * ```
 */
export function questions(options?: QuestionsOptions): Questions {
  const what = "questions() options";
  const given = checkObject(options, what, ["also", "deadlineMs", "limit"]);
  optionalFunction(given.also, `${what}: also`);
  optionalInteger(given.deadlineMs, `${what}: deadlineMs`, 0);
  optionalInteger(given.limit, `${what}: limit`, 1);
  return new QuestionList(options ?? {});
}

function inputOf(answer: unknown, schema: InputQuestion["schema"]): ElicitationAnswer | Cancel {
  if (!isObject(answer)) throw wrong("answer", "an object with an action", answer);
  const { action, content, reason } = checkObject(answer, "answer", ["action", "content", "reason"]);
  const chosen = optionalOneOf(action, "answer.action", ["accept", "decline", "cancel"]);
  const why = optionalString(reason, "answer.reason");
  switch (chosen) {
    case undefined:
      throw wrong("answer.action", '"accept", "decline" or "cancel"', action);
    case "accept": {
      const value = content ?? {};
      if (!isObject(value)) throw wrong("answer.content", "an object", content);
      const fault = argumentsCheck("the schema is", schema).check(value);
      if (fault !== undefined) throw optionError("answer.content", `answer.content does not fit the schema: ${fault}`);
      return { action: chosen, content: value };
    }
    case "decline":
      return { action: chosen };
    case "cancel":
      return why === undefined || why === "" ? { action: chosen } : cancel(why);
  }
}
