// GET /health and GET /metrics
import { type Answer, json } from "../http/exchange.js";
import type { Visit } from "./visit.js";

/** Says that the engine takes work. Errors: 503 once it is closed. */
export function health({ engine }: Visit): Answer {
  engine.models.list();
  return json(200, { status: "ok" });
}

/** Shows the counts, as Prometheus reads them. */
export function showMetrics({ metrics }: Visit): Answer {
  return { status: 200, headers: { "content-type": "text/plain; version=0.0.4; charset=utf-8" }, body: metrics.text() };
}
