// A session store in memory, whose saves a test can watch, hold up and fail.
import {
  type AppendAnswer,
  applyChanges,
  type LeaseAnswer,
  type LeaseRequest,
  matchesQuery,
  type SessionChange,
  type SessionInfo,
  type SessionQuery,
  type SessionStore,
  type StoredRecord,
} from "../../src/index.js";

/** The messages of a record, as the engine writes it. */
export function messagesIn(record: string): { role: string; content: string }[] {
  const { conversation } = JSON.parse(record) as { conversation: { messages: { role: string; content: string }[] } };
  return conversation.messages;
}

export class MemoryStore implements SessionStore {
  readonly name = "memory";
  readonly sessions = new Map<string, StoredRecord>();
  readonly leases = new Map<string, { fence: number; holder: string; expiresAt: number }>();
  /** Every save that was reported, in order. */
  readonly saved: StoredRecord[] = [];
  /** The most saves that were under way at one time. */
  most = 0;
  #now = 0;
  /** Called before each save is carried out. */
  before: (session: StoredRecord) => unknown = () => undefined;

  async load(id: string): Promise<StoredRecord | undefined> {
    return this.sessions.get(id);
  }

  async save(session: StoredRecord, fence: number): Promise<boolean> {
    this.#now += 1;
    this.most = Math.max(this.most, this.#now);
    try {
      await this.before(session);
      if (this.leases.get(session.id)?.fence !== fence) return false;
      this.sessions.set(session.id, session);
      this.saved.push(session);
      return true;
    } finally {
      this.#now -= 1;
    }
  }

  async list(query: SessionQuery): Promise<readonly SessionInfo[]> {
    return [...this.sessions.values()]
      .map((session): SessionInfo => {
        const { record: _, ...info } = session;
        return info;
      })
      .filter((info) => matchesQuery(info, query))
      .toSorted((a, b) => b.updatedAt - a.updatedAt || (a.id < b.id ? 1 : -1))
      .slice(0, query.limit);
  }

  async delete(id: string, fence: number): Promise<boolean> {
    if (this.leases.get(id)?.fence !== fence || !this.sessions.delete(id)) return false;
    return this.leases.delete(id);
  }

  async acquire(id: string, { holder, ttlMs, dead }: LeaseRequest): Promise<LeaseAnswer> {
    const held = this.leases.get(id);
    const expiresInMs = (held?.expiresAt ?? 0) - Date.now();
    if (held !== undefined && expiresInMs > 0 && held.fence !== dead)
      return { heldBy: held.holder, fence: held.fence, expiresInMs };
    const fence = Math.max(Math.floor((performance.timeOrigin + performance.now()) * 1000), (held?.fence ?? 0) + 1);
    this.leases.set(id, { fence, holder, expiresAt: Date.now() + ttlMs });
    return { fence };
  }

  async renew(id: string, fence: number, ttlMs: number): Promise<boolean> {
    const held = this.leases.get(id);
    if (held?.fence !== fence) return false;
    held.expiresAt = Date.now() + ttlMs;
    return true;
  }

  async release(id: string, fence: number): Promise<void> {
    const held = this.leases.get(id);
    if (held?.fence === fence) held.expiresAt = 0;
  }
}

/** A memory store that takes changes, too. Its `saved` has the sessions as they are after each save or change. */
export class AppendingStore extends MemoryStore {
  /** The changes that were appended, in order. */
  readonly changes: SessionChange[] = [];
  /** The whole sessions that were saved, in order. */
  readonly wholes: StoredRecord[] = [];
  /** The answer to the next changes, in place of appending them. */
  answer: unknown = undefined;

  override async save(session: StoredRecord, fence: number): Promise<boolean> {
    this.wholes.push(session);
    return super.save(session, fence);
  }

  async append(change: SessionChange, fence: number): Promise<AppendAnswer> {
    if (this.answer !== undefined) return this.answer as AppendAnswer;
    const { from, edits, ...info } = change;
    const before = this.sessions.get(info.id);
    if (before === undefined) return "save";
    if (!(await super.save({ ...info, record: applyChanges(before.record, [{ from, edits }]) }, fence))) return "lost";
    this.changes.push(change);
    return "appended";
  }
}
