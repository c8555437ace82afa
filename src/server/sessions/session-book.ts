// The sessions of a server: opens, finds, lists, forks and deletes them. Must not: show a session to another key.
import { randomUUID } from "node:crypto";
import { type Engine, LlamaHooksError, type Session, type SessionOptions } from "../../index.js";
import { ApiError, badRequest, tooMany } from "../http/api-error.js";
import { OpenSession, type Opening, type SessionView } from "./open-session.js";
import type { CheckedSessions } from "./options.js";
import { SessionShelf } from "./session-shelf.js";

/** Milliseconds that a close waits for sessions that a hook holds up. */
const closeMs = 2000;

type Owner = string | undefined;

/** A request to open a session. */
export interface OpenRequest {
  readonly owner: Owner;
  /** Name of the agent; undefined: the only one. */
  readonly agent: string | undefined;
  readonly tags: Readonly<Record<string, string>>;
}

/** All sessions. */
export class SessionBook {
  readonly #engine: Engine;
  readonly #options: CheckedSessions;
  readonly #shelf: SessionShelf | undefined;
  readonly #open = new Map<string, OpenSession>();
  /** Sessions that are being taken from the store. */
  readonly #coming = new Map<string, Promise<OpenSession>>();
  /** Places that are taken before a session is there. */
  readonly #reserved = new Map<Owner, number>();
  #isClosed = false;

  constructor(engine: Engine, options: CheckedSessions) {
    this.#engine = engine;
    this.#options = options;
    this.#shelf = options.stored ? new SessionShelf(engine) : undefined;
  }

  /** Errors: 400 for an unknown agent; 429 at the maximum number of sessions; those of `engine.session()`. */
  async open({ owner, agent: named, tags }: OpenRequest): Promise<OpenSession> {
    const { agent, options } = this.#agentOf(named);
    return this.#taking(owner, async () => {
      const id = randomUUID();
      const full: SessionOptions = { ...options, id, tags: { ...options.tags, ...tags } };
      const session =
        this.#shelf === undefined ? this.#engine.session(full) : await this.#shelf.open(full, owner, agent);
      return this.#take(session, { owner, agent, createdAt: Date.now() });
    });
  }

  /** Errors: 404 if the key has no session of this id. */
  async get(owner: Owner, id: string): Promise<OpenSession> {
    const found = this.#open.get(id);
    if (found !== undefined && found.opening.owner === owner) {
      found.use();
      return found;
    }
    const stored = found === undefined ? await this.#shelf?.find(owner, id) : undefined;
    if (stored === undefined) throw noSession();
    const coming = this.#coming.get(id) ?? this.#resume(owner, id, stored);
    return coming;
  }

  /** The sessions of a key, the newest last. */
  async list(owner: Owner): Promise<readonly SessionView[]> {
    const open = [...this.#open.values()].filter(({ opening }) => opening.owner === owner).map((one) => one.view());
    const stored = (await this.#shelf?.list(owner)) ?? [];
    const idle = stored.filter(({ id }) => !this.#open.has(id));
    return [...idle, ...open].toSorted((a, b) => a.createdAt - b.createdAt);
  }

  /** A copy, which is not stored. Errors: those of `get()` and `fork()`. */
  async fork(owner: Owner, id: string, at: string | undefined): Promise<OpenSession> {
    const from = await this.get(owner, id);
    return this.#taking(owner, () => {
      const session = from.session.fork(at === undefined ? {} : { at });
      return Promise.resolve(this.#take(session, { ...from.opening, createdAt: Date.now() }));
    });
  }

  /** Cancels what runs, and forgets the session. Errors: those of `get()`. */
  async delete(owner: Owner, id: string): Promise<void> {
    const found = this.#open.get(id) ?? (await this.#coming.get(id)?.catch(() => undefined));
    if (found !== undefined && found.opening.owner !== owner) throw noSession();
    const stored = await this.#shelf?.find(owner, id);
    if (found === undefined && stored === undefined) throw noSession();
    if (found !== undefined) await this.#drop(found);
    if (stored !== undefined) await this.#engine.sessions.delete(id);
  }

  /** Closes all sessions. Resolves soon, even if a hook holds one up. */
  async close(): Promise<void> {
    this.#isClosed = true;
    const coming = await Promise.allSettled(this.#coming.values());
    if (this.#open.size === 0 && coming.length === 0) return;
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<void>((resolve) => (timer = setTimeout(resolve, closeMs)));
    await Promise.race([Promise.allSettled([...this.#open.values()].map((one) => this.#drop(one))), late]);
    clearTimeout(timer);
  }

  #agentOf(named: string | undefined): { readonly agent: string; readonly options: SessionOptions } {
    const { agents } = this.#options;
    const names = Object.keys(agents);
    const agent = named ?? (names.length === 1 ? names[0] : undefined);
    if (agent === undefined) throw badRequest(`agent must name one of ${names.join(", ")}`, "agent");
    const options = Object.hasOwn(agents, agent) ? agents[agent] : undefined;
    if (options === undefined)
      throw badRequest(`There is no such agent; this server has ${names.join(", ")}`, "agent", "agent_not_found");
    return { agent, options };
  }

  /** Takes a place before the session is there, so that requests at once cannot exceed the limits. Errors: 429. */
  async #taking<T>(owner: Owner, open: () => Promise<T>, resumes = false): Promise<T> {
    if (this.#isClosed) throw new ApiError(503, "The server is closing", { code: "closing" });
    const reserved = this.#reserved.get(owner) ?? 0;
    this.#reserved.set(owner, reserved + 1);
    try {
      await this.#checkRoom(owner, resumes);
      return await open();
    } finally {
      const left = (this.#reserved.get(owner) ?? 1) - 1;
      if (left === 0) this.#reserved.delete(owner);
      else this.#reserved.set(owner, left);
    }
  }

  async #checkRoom(owner: Owner, resumes: boolean): Promise<void> {
    const { limit, limitPerKey } = this.#options;
    const own = resumes ? 0 : (await this.list(owner)).length + (this.#reserved.get(owner) ?? 0);
    if (own > limitPerKey) throw tooMany(`A key may have ${limitPerKey} sessions: delete one`, "too_many_sessions", 60);
    const all = (): number => this.#open.size + [...this.#reserved.values()].reduce((sum, one) => sum + one, 0);
    // Stored sessions need not stay open.
    const idle = this.#shelf === undefined ? [] : [...this.#open.values()].filter((one) => !one.isRunning);
    const oldest = idle.toSorted((a, b) => a.usedAt - b.usedAt).find(({ session }) => SessionShelf.keeps(session));
    if (all() > limit && oldest !== undefined) await this.#drop(oldest);
    if (all() > limit) throw tooMany(`The server has ${limit} open sessions`, "too_many_sessions", 60);
  }

  #resume(owner: Owner, id: string, { agent, createdAt }: SessionView): Promise<OpenSession> {
    const work = async (): Promise<OpenSession> => {
      const options = this.#options.agents[agent];
      if (options === undefined || !Object.hasOwn(this.#options.agents, agent))
        throw new ApiError(409, `This session belongs to the agent ${agent}, which the server no longer has`, {
          code: "agent_not_found",
        });
      return this.#taking(
        owner,
        async () =>
          this.#take(await this.#engine.sessions.resume(id, { ...withoutTags(options), autosave: true }), {
            owner,
            agent,
            createdAt,
          }),
        true,
      );
    };
    const coming = work().finally(() => this.#coming.delete(id));
    this.#coming.set(id, coming);
    return coming;
  }

  #take(session: Session, opening: Opening): OpenSession {
    const { idleMs, questionMs, questions: shared } = this.#options;
    const expire = (): void => void this.#drop(one).catch(() => undefined);
    const one: OpenSession = new OpenSession(session, opening, { idleMs, questionMs, shared, expire });
    this.#open.set(session.id, one);
    return one;
  }

  async #drop(one: OpenSession): Promise<void> {
    this.#open.delete(one.session.id);
    try {
      await one.close();
    } catch (error) {
      // Closed with its engine, or held up by a hook that waits for this very request.
      if (!(error instanceof LlamaHooksError)) throw error;
    }
  }
}

/** The stored tags stay. */
function withoutTags(options: SessionOptions): SessionOptions {
  const { tags, ...rest } = options;
  return tags === undefined ? options : rest;
}

function noSession(): ApiError {
  return new ApiError(404, "This key has no session of that id", { code: "session_not_found" });
}
