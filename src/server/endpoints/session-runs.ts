// POST /sessions/{session}/runs: runs an agent, as server-sent events or whole.
import type { Run } from "../../index.js";
import { EventStream, soon } from "../http/event-stream.js";
import { type Answer, json } from "../http/exchange.js";
import type { OpenSession } from "../sessions/open-session.js";
import { runRequestOf } from "../sessions/requests.js";
import { RunEvents, type StreamEvent } from "../sessions/run-events.js";
import { resultOf, RunTexts } from "../sessions/run-texts.js";
import { checked } from "../http/api-error.js";
import { mustHold } from "./held.js";
import { Meter } from "./meter.js";
import { known, sessionOf } from "./sessions.js";
import type { Visit } from "./visit.js";

/** Answers a request for a run. */
export async function runSession(visit: Visit): Promise<Answer> {
  const { input, streams } = checked(() => runRequestOf(visit.body));
  const open = await sessionOf(visit);
  visit.reserve([input]);
  const meter = new Meter(visit);
  const key = visit.caller.name;
  const run = open.session.run(input, {
    hooks: [...visit.hooks, ...open.questions.hooks, meter.hooks],
    tags: { request: visit.id, ...(key !== undefined && { key }) },
    signal: visit.signal,
  });
  if (streams) return stream(run, open, meter, visit);
  try {
    const result = await known(run);
    meter.end(result);
    return json(200, resultOf(result));
  } finally {
    open.use();
  }
}

/** Sends the status with the first event, so that a run that cannot begin gets the status of its error. */
async function stream(run: Run, open: OpenSession, meter: Meter, visit: Visit): Promise<Answer> {
  const isHeld = mustHold(visit.engine, visit.hooks, true);
  const texts = new RunTexts({ id: visit.id, isHeld, onError: (error) => visit.fail(error) });
  const events = new RunEvents(run, open.questions);
  const next: Promise<IteratorResult<StreamEvent>> = events.next();
  await known(soon(next, visit.keepAliveMs));
  const settle = async (): Promise<void> => {
    await run.then(
      (result) => meter.end(result),
      () => undefined,
    );
    open.use();
  };
  const headers = {
    "content-type": "text/event-stream",
    "cache-control": "no-cache",
    "x-accel-buffering": "no",
    ...(isHeld && { "llama-hooks-stream": "held" }),
  };
  return {
    status: 200,
    headers,
    body: new EventStream(events, next, texts, { settle, keepAliveMs: visit.keepAliveMs }),
  };
}
