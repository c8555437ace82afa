// The requests that an inspector answers. Everything but the page itself needs the token.
import { randomUUID } from "node:crypto";
import { LlamaHooksError } from "../../index.js";
import { ApiError, badRequest, checked } from "../../server/http/api-error.js";
import { readJson } from "../../server/http/body.js";
import { EventStream } from "../../server/http/event-stream.js";
import { type Answer, type Exchange, json } from "../../server/http/exchange.js";
import { apiErrorOf } from "../../server/http/failure.js";
import { checkHost } from "../../server/http/host.js";
import type { EngineRecord } from "../record/record.js";
import { type Assets, safeHeaders } from "./assets.js";
import { itemTexts } from "./event-texts.js";
import type { OpenFile } from "./files.js";
import type { TokenCheck } from "./token.js";
import type { QuestionDesk } from "./question-desk.js";
import type { StateAnswer } from "../wire/wire.js";

/** The parts that requests are about. */
export interface Inspected {
  /** Absent: only files are shown. */
  readonly record?: EngineRecord;
  readonly files: readonly OpenFile[];
  /** Absent: the page shows no questions. */
  readonly questions?: QuestionDesk;
  /** The subject of the page, in a few words. */
  readonly title: string;
}

/** The bounds of an answer. */
const bodyLimits = { maxBodyBytes: 1_000_000, bodyTimeoutMs: 10_000 };

/** Streams at once: pages that are open. */
const mostStreams = 32;
const keepAliveMs = 15_000;

/** Answers requests of pages. */
export class Routes {
  readonly #inspected: Inspected;
  readonly #assets: Assets;
  readonly #token: TokenCheck;
  readonly #streams = new Set<EventStream<unknown>>();

  constructor(inspected: Inspected, assets: Assets, token: TokenCheck) {
    this.#inspected = inspected;
    this.#assets = assets;
    this.#token = token;
  }

  /** Never rejects. */
  readonly answer = async (exchange: Exchange): Promise<Answer> => {
    try {
      checkHost(exchange);
      const asset = exchange.method === "GET" ? this.#assets.answer(exchange.path) : undefined;
      if (asset !== undefined) return asset;
      this.#token.check(exchange);
      return safe(await this.#route(exchange));
    } catch (error) {
      const { status, headers, closes, envelope } = apiErrorOf(error, randomUUID());
      return { ...safe(json(status, envelope, headers)), closes };
    }
  };

  /** Resolves when every stream has sent its last event. */
  async ended(): Promise<void> {
    await Promise.all([...this.#streams].map((stream) => stream.ended));
  }

  /** Cuts the streams off. */
  stop(): void {
    for (const stream of this.#streams) stream.stop();
  }

  #route(exchange: Exchange): Answer | Promise<Answer> {
    const { method, path } = exchange;
    const { record, files, questions, title } = this.#inspected;
    const [, first = "", second] = path.split("/", 3);
    if (method === "POST" && path === "/answers" && questions !== undefined) return takeAnswer(exchange, questions);
    if (method !== "GET") throw notFound(path);
    if (first === "state")
      return json(200, {
        title,
        files: names(files),
        ...(record && stateOf(record)),
        ...open(questions),
      } satisfies StateAnswer);
    if (first === "files" && second !== undefined) return file(files[numberIn(second)], path);
    if (record !== undefined && first === "events") return this.#events(exchange, record);
    if (record !== undefined && first === "values" && second !== undefined)
      return json(200, record.values.get(numberIn(second)) ?? null);
    throw notFound(path);
  }

  #events(exchange: Exchange, record: EngineRecord): Answer {
    if (this.#streams.size >= mostStreams) {
      const message = `The inspector is open in ${mostStreams} pages already`;
      throw new ApiError(429, message, { code: "too_many_pages" });
    }
    const items = record.history.read(numberIn(exchange.header("last-event-id") ?? "0"));
    const settle = (): Promise<void> => {
      this.#streams.delete(stream);
      return Promise.resolve();
    };
    const stream = new EventStream(items, items.next(), itemTexts, { settle, keepAliveMs });
    this.#streams.add(stream);
    return { status: 200, headers: { "content-type": "text/event-stream" }, body: stream };
  }
}

function stateOf({ state, history, values, options }: EngineRecord): Omit<StateAnswer, "title" | "files"> {
  return {
    values: options.values,
    state: state.read(),
    history: { kept: history.kept, lost: history.lost, valuesLost: values.lost },
  };
}

function open(questions: QuestionDesk | undefined): Pick<StateAnswer, "questions"> {
  return questions === undefined ? {} : { questions: questions.open() };
}

/** Errors: 404 if the question is not open any more; 400 if the answer does not suit the question. */
async function takeAnswer(exchange: Exchange, questions: QuestionDesk): Promise<Answer> {
  const { id, answer } = await readJson(exchange, bodyLimits);
  if (typeof id !== "string") throw badRequest("id must be the id of a question", "id");
  try {
    checked(() => questions.answer(id, answer as never));
  } catch (error) {
    if (!(error instanceof LlamaHooksError) || error.code !== "NOT_FOUND") throw error;
    throw new ApiError(404, "This question is not open any more", { code: "not_found" });
  }
  return json(200, {});
}

function names(files: readonly OpenFile[]): readonly string[] {
  return files.map(({ name }) => name);
}

async function file(found: OpenFile | undefined, path: string): Promise<Answer> {
  if (found === undefined) throw notFound(path);
  return { status: 200, headers: { "content-type": "application/json" }, body: await found.read() };
}

function safe(answer: Answer): Answer {
  return { ...answer, headers: { ...answer.headers, ...safeHeaders } };
}

function numberIn(text: string): number {
  if (/^\d{1,15}$/.test(text)) return Number(text);
  throw badRequest("The path, or the header Last-Event-ID, must have a number there", undefined, "invalid_number");
}

function notFound(path: string): ApiError {
  return new ApiError(404, `There is nothing at ${path.slice(0, 200).toWellFormed()}`, { code: "not_found" });
}
