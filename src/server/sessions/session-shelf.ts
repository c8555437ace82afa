// The sessions of a server in the store of its engine. Tags say whose they are.
import type { Engine, Session, SessionInfo, SessionOptions, StoredSession } from "../../index.js";
import type { SessionView } from "./open-session.js";

const ownerTag = "server.owner";
const agentTag = "server.agent";

/** Stored sessions. Errors of every method: SESSION_STORE_FAILED; INVALID_ARGUMENT if the engine has no store. */
export class SessionShelf {
  readonly #engine: Engine;

  constructor(engine: Engine) {
    this.#engine = engine;
  }

  /** True if the session can be closed and resumed; a fork cannot. */
  static keeps(session: Session): boolean {
    return "savedAt" in session;
  }

  /** Opens a session that saves itself. */
  open(options: SessionOptions, owner: string | undefined, agent: string): Promise<StoredSession> {
    const tags = { ...options.tags, [ownerTag]: ownerOf(owner), [agentTag]: agent };
    return this.#engine.sessions.open({ ...options, tags, autosave: true });
  }

  /** The stored session of that id, if it is the owner's. */
  async find(owner: string | undefined, id: string): Promise<SessionView | undefined> {
    return (await this.list(owner)).find((one) => one.id === id);
  }

  async list(owner: string | undefined): Promise<readonly SessionView[]> {
    const stored = await this.#engine.sessions.list({ tags: { [ownerTag]: ownerOf(owner) } });
    return stored.map((info) => viewOf(info));
  }
}

/** A server without keys must not find the sessions of one with keys. */
function ownerOf(owner: string | undefined): string {
  return owner === undefined ? "all" : `key:${owner}`;
}

function viewOf({ id, tags, createdAt, updatedAt }: SessionInfo): SessionView {
  return { id, agent: String(tags[agentTag]), createdAt, usedAt: updatedAt, running: false, questions: 0 };
}
