// Formats the trace as lines of text.
import { shown } from "../../base/thrown.js";
import { plural } from "../../base/plural.js";
import { wrap } from "../../base/wrap.js";
import type { Decision, HookRecord, TraceEvent } from "../../index.js";
import { sanitize, sanitizeData } from "../process/sanitize.js";
import type { Terminal } from "../process/terminal.js";
import { duration } from "./duration.js";

/** Decisions with the same outcome. */
interface Group {
  /** The first of the decisions. */
  readonly decision: Decision;
  count: number;
  /** The total duration of each hook, in microseconds. */
  readonly durations: number[];
}

/**
 * Formats trace events as lines: time since the start, point, hook, its outcome and its duration. The decisions about
 * the tokens of a message follow the message; decisions with the same outcome become one line with a count, because a
 * line per token would interrupt the text. `flush()` returns the lines of the decisions that are still counted.
 */
export class TraceLines {
  readonly #terminal: Terminal;
  readonly #start = Date.now();
  /** The decisions about tokens, by outcome, in order of first occurrence. */
  readonly #open = new Map<string, Group>();

  constructor(terminal: Terminal) {
    this.#terminal = terminal;
  }

  /**
   * The text that hooks, models and tools wrote into the event is sanitized. Causes are left out of decisions, because
   * a cause may be any value.
   */
  lines(event: TraceEvent): string[] {
    if (event.type === "decision") return this.#decision(sanitizeData(withoutCauses(event)));
    switch (event.event) {
      case "modelLoaded": {
        const text = this.#terminal.style("dim", sanitize(event.modelId));
        return [...this.flush(), this.#line(Date.now(), "model loaded", text)];
      }
      case "observerFailed": {
        const text = `${sanitize(event.hook)} → failed: ${sanitize(shown(event.cause))}`;
        return [...this.flush(), this.#line(Date.now(), event.point, this.#terminal.style("red", text))];
      }
      case "dropped":
        return [...this.flush(), this.#line(Date.now(), "trace", `${plural(event.count, "event")} dropped`)];
      default:
        return [];
    }
  }

  flush(): string[] {
    const groups = [...this.#open.values()];
    this.#open.clear();
    return groups.flatMap((group) => this.#group(group));
  }

  #decision(decision: Decision): string[] {
    const { point, reason, hooks } = decision;
    if (point !== "streamToken") {
      return [...this.flush(), ...this.#group({ decision, count: 1, durations: hooks.map((hook) => hook.durationUs) })];
    }
    const key = JSON.stringify([decision.runId, reason, hooks.map(({ id, outcome, fields }) => [id, outcome, fields])]);
    const group = this.#open.get(key);
    if (group === undefined) {
      this.#open.set(key, { decision, count: 1, durations: hooks.map((hook) => hook.durationUs) });
    } else {
      group.count++;
      for (const [index, { durationUs }] of hooks.entries()) {
        group.durations[index] = (group.durations[index] ?? 0) + durationUs;
      }
    }
    return [];
  }

  #group({ decision, count, durations }: Group): string[] {
    return decision.hooks.map((hook, index) => {
      const times = count > 1 ? this.#terminal.style("dim", ` ×${count}`) : "";
      const took = this.#terminal.style("dim", ` ${duration(durations[index] ?? 0)}`);
      const text = `${hook.name} → ${this.#what(decision, hook)}${times}${took}`;
      return this.#line(decision.timeUs / 1000, decision.point, text);
    });
  }

  #what(decision: Decision, hook: HookRecord): string {
    const { style } = this.#terminal;
    const failure = hook.error === undefined ? "" : `${hook.error.message} (${hook.error.code})`;
    switch (hook.outcome) {
      case "modified":
        return hook.fields.includes("halt")
          ? style("yellow", "halted the run")
          : style("cyan", `changed ${hook.fields.join(", ")}`);
      case "cancelled":
        return style(failure === "" ? "yellow" : "red", `cancelled: ${failure === "" ? decision.reason : failure}`);
      case "failed":
        return style("red", `failed: ${failure}`);
      default:
        return style("dim", hook.outcome === "proceed" ? "no change" : hook.outcome);
    }
  }

  /** `│  0.123s  preGenerate     text`; the text continues below its start. */
  #line(timeMs: number, point: string, text: string): string {
    const time = `${Math.max(0, (timeMs - this.#start) / 1000).toFixed(3)}s`.padStart(8);
    const column = Math.max(16, point.length + 1);
    const indent = 2 + 8 + 2 + column;
    const [first = "", ...rest] = wrap(text, this.#terminal.columns - indent, "  ");
    const bar = this.#terminal.style("dim", "│ ");
    const head = `${bar}${this.#terminal.style("dim", time)}  ${this.#terminal.style("bold", point.padEnd(column))}${first}`;
    return [head, ...rest.map((part) => `${bar}${" ".repeat(indent - 2)}${part}`)].join("\n");
  }
}

function withoutCauses(decision: Decision): Decision {
  const hooks = decision.hooks.map(({ error, ...hook }) =>
    error === undefined ? hook : { ...hook, error: { code: error.code, message: error.message } },
  );
  return { ...decision, hooks };
}
