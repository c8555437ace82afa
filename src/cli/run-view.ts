// How a run is shown: as text for people, or as one JSON object a line. Must not: decide what happens.
import type { Exchange, ExchangeView } from "./exchange.js";
import type { GenerateEvent, HookStats, ToolCall, TraceEvent } from "../index.js";
import type { Terminal } from "./terminal.js";
import { TraceLines } from "./trace-lines.js";

/** What is told about a run as a whole. */
export interface RunView extends ExchangeView {
  loading(progress: number, modelId: string): void;
  start(prompt: string, modelPath: string): void;
  trace(event: TraceEvent): void;
  end(exchange: Exchange): void;
  summary(exchanges: readonly Exchange[], stats: readonly HookStats[]): void;
  error(code: string, message: string): void;
}

/** The model's text on stdout, everything else on stderr. */
export class TextView implements RunView {
  readonly #terminal: Terminal;
  readonly #traceLines: TraceLines;
  #streamed = "";
  #first = true;

  constructor(terminal: Terminal) {
    this.#terminal = terminal;
    this.#traceLines = new TraceLines(terminal);
  }

  loading(progress: number, modelId: string): void {
    this.#terminal.progress(`loading ${modelId}: ${Math.round(progress * 100)} %`);
  }

  start(prompt: string): void {
    if (!this.#first) this.#note("");
    this.#first = false;
    this.#note(`${this.#terminal.style("bold", "you")}    ${prompt}`);
  }

  event(event: GenerateEvent): void {
    if (event.type === "token" && event.kind === "content") {
      this.#streamed += event.text;
      this.#terminal.result(event.text);
    } else if (event.type === "replaced") {
      this.#terminal.endResult();
      this.#note(this.#terminal.style("cyan", "a hook replaced the text above by:"));
      this.#terminal.result(event.text);
      this.#streamed = event.text;
    } else if (event.type === "end") {
      this.#terminal.endResult();
      // A text that no token brought: a hook's own response.
      if (this.#streamed === "" && event.result.text !== "") this.#terminal.result(`${event.result.text}\n`);
      this.#streamed = "";
    }
  }

  toolCall({ name, args }: ToolCall): void {
    this.#note(
      `${this.#terminal.style("bold", "model")}  → ${this.#terminal.style("green", `${name}(${JSON.stringify(args)})`)}`,
    );
  }

  toolResult(_: ToolCall, result: string, isError: boolean): void {
    this.#note(`${this.#terminal.style("bold", "tool")}   ← ${isError ? this.#terminal.style("red", result) : result}`);
  }

  trace(event: TraceEvent): void {
    for (const line of this.#traceLines.lines(event)) this.#terminal.note(line);
  }

  end({ end, by }: Exchange): void {
    const reason = by?.reason ?? "no reason given";
    if (end === "halted") this.#note(this.#terminal.style("yellow", `halted by ${by?.by}: ${reason}`));
    if (end === "cancelled") this.#note(this.#terminal.style("yellow", `cancelled by ${by?.by}: ${reason}`));
    if (end === "limit") this.#note(this.#terminal.style("red", "stopped: the model kept calling tools"));
  }

  summary(exchanges: readonly Exchange[], stats: readonly HookStats[]): void {
    const usages = exchanges.flatMap(({ results }) => results.map(({ usage }) => usage));
    const tokens = usages.reduce((sum, usage) => sum + usage.completionTokens, 0);
    const ms = usages.reduce((sum, usage) => sum + usage.decodeMs, 0);
    const speed = ms > 0 ? `, ${Math.round((tokens / ms) * 1000)} tokens/s` : "";
    const count = (key: "calls" | "modifications" | "failures"): number =>
      stats.reduce((sum, hook) => sum + hook[key], 0);
    const vetoes = exchanges.filter(
      ({ end, by }) => end === "halted" || (end === "cancelled" && stats.some(({ name }) => name === by?.by)),
    ).length;
    const hooks = `hooks: ${count("calls")} calls, ${count("modifications")} changes, ${vetoes} veto${vetoes === 1 ? "" : "es"}, ${count("failures")} failures`;
    const calls = `${usages.length} model call${usages.length === 1 ? "" : "s"}`;
    this.#note(this.#terminal.style("dim", `${tokens} tokens in ${calls}${speed} · ${hooks}`));
  }

  error(code: string, message: string): void {
    this.#terminal.endResult();
    this.#note(this.#terminal.style("red", `error: ${message} (${code})`));
  }

  #note(line: string): void {
    for (const open of this.#traceLines.flush()) this.#terminal.note(open);
    this.#terminal.note(line);
  }
}

/** One JSON object a line on stdout, and nothing else. */
export class JsonView implements RunView {
  loading(): void {}

  start(prompt: string, model: string): void {
    write({ type: "start", prompt, model });
  }

  event(event: GenerateEvent): void {
    if (event.type !== "end") write(event);
  }

  toolCall(call: ToolCall): void {
    write({ type: "tool_call", ...call });
  }

  toolResult({ id, name }: ToolCall, result: string, isError: boolean): void {
    write({ type: "tool_result", id, name, result, isError });
  }

  trace(event: TraceEvent): void {
    write(event);
  }

  end({ end, by, text, results }: Exchange): void {
    write({ type: "end", end, ...(by && { by }), text, usage: results.map(({ usage }) => usage) });
  }

  summary(): void {}

  error(code: string, message: string): void {
    write({ type: "error", code, message });
  }
}

function write(value: object): void {
  // An Error in a decision's cause would be written as {}.
  const text = JSON.stringify(value, (_, item: unknown) =>
    item instanceof Error ? { name: item.name, message: item.message } : item,
  );
  process.stdout.write(`${text}\n`);
}
