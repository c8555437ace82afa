// Simulates one of the concurrent users in the soak of sessions. Each opens one session after another and starts one
// run after another in it. Most runs are left alone; the others are aborted, interrupted, watched or queued behind.
// Must not: judge the outcome; the ledger does.
import { rm } from "node:fs/promises";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";

/** A session's history grows with each run, what was compacted too: it is closed after so many. */
const runsOfSession = 50;

export class Seat {
  #engine;
  #options;
  #ledger;
  #draw;
  #file;
  #runs = 0;

  /** `folder`: for sessions that are saved; `draw()` gives a number below 1. */
  constructor({ engine, options, ledger, draw, folder, name }) {
    this.#engine = engine;
    this.#options = options;
    this.#ledger = ledger;
    this.#draw = draw;
    this.#file = path.join(folder, `${name}.json`);
  }

  /** Until `over()`. */
  async work(over) {
    while (!over()) {
      let session = this.#engine.session(this.#options);
      for (let run = 0; run < runsOfSession && !over(); run++) {
        await this.#pick(runs).call(this, session);
        session = (await this.#pick(between).call(this, session)) ?? session;
      }
      await this.#leave(session);
    }
  }

  /** By its share; the first is what is done else. */
  #pick(choices) {
    let left = this.#draw();
    for (const [share, choice] of choices.slice(1)) if ((left -= share) < 0) return choice;
    return choices[0][1];
  }

  async #leave(session) {
    this.#ledger.history(session.id, session.history({ compacted: false }));
    await session.close();
    await rejects(this.#ledger, session.run("Hello?"), "NOT_FOUND");
  }

  start(session, options) {
    return session.run(` Go ${++this.#runs % 10}. `, options);
  }

  async alone(session) {
    this.#ledger.ended(await this.start(session));
  }

  /** At any moment, also before it begins and after its end. */
  async aborted(session) {
    const stop = new AbortController();
    const run = this.start(session, { signal: stop.signal });
    const moment = this.#draw() < 0.1 ? Promise.resolve() : sleep(this.#draw() * 60);
    void moment.then(() => stop.abort(new Error("never mind")));
    this.#ledger.ended(await run);
    await moment;
  }

  async cancelled(session) {
    const run = this.start(session);
    for await (const { type } of run) if (type === "toolCall") run.cancel("that will do");
    this.#ledger.ended(await run);
  }

  async left(session) {
    const run = this.start(session);
    for await (const { type } of run) if (type === "token" && this.#draw() < 0.05) break;
    this.#ledger.ended(await run);
  }

  async queued(session) {
    const run = this.start(session);
    for await (const { type, iteration } of run)
      if (type === "iteration" && iteration === 1) session.queue("And then?");
    this.#ledger.ended(await run);
  }

  async busy(session) {
    const [first, refused, third] = [{}, {}, { whenBusy: "wait" }].map((options) => this.start(session, options));
    await rejects(this.#ledger, refused, "SESSION_BUSY");
    for (const run of [first, third]) this.#ledger.ended(await run);
  }

  async paused(session) {
    session.pause();
    const run = this.start(session);
    await sleep(this.#draw() * 5);
    session.resume();
    this.#ledger.ended(await run);
  }

  async compacted(session) {
    try {
      await session.compact({ strategy: this.#draw() < 0.5 ? "truncate" : "summarize" });
    } catch (error) {
      // A hook halts one in a hundred of the model's answers, the summary among them.
      this.#ledger.refusal(error, "HOOK_CANCELLED");
    }
    this.#ledger.history(session.id, session.history());
  }

  /** Runs the session and its copy at the same time; the copy ends after one run. */
  async forked(session) {
    const copy = session.fork();
    await Promise.all([this.alone(copy), this.aborted(session)]);
    await this.#leave(copy);
  }

  async restored(session) {
    await session.save(this.#file);
    const said = session.history({ compacted: false });
    await session.close();
    const later = this.#engine.restoreSession(this.#file, this.#options);
    await rm(this.#file);
    const restored = later.history({ compacted: false });
    if (JSON.stringify(restored) !== JSON.stringify(said)) this.#ledger.violate(`${session.id} is not as it was saved`);
    return later;
  }

  /** Under way. */
  async closed(session) {
    const run = this.start(session);
    const ended = run.then((result) => this.#ledger.ended(result));
    await sleep(this.#draw() * 20);
    await session.close();
    await ended;
    return this.#engine.session(this.#options);
  }
}

const { alone, aborted, cancelled, left, queued, busy, paused, compacted, forked, restored, closed } = Seat.prototype;
const runs = [
  [0, alone],
  [0.15, aborted],
  [0.05, cancelled],
  [0.05, left],
  [0.1, queued],
  [0.03, busy],
  [0.03, paused],
];
const nothing = () => undefined;
const between = [
  [0, nothing],
  [0.03, compacted],
  [0.03, forked],
  [0.02, restored],
  [0.02, closed],
];

async function rejects(ledger, promise, code) {
  try {
    ledger.refusal(await promise.then(() => new Error("it was not refused")), code);
  } catch (error) {
    ledger.refusal(error, code);
  }
}
