// How a run is shown: as text for people, or as one JSON object a line. Must not: decide what happens.
import type { HookStats, RunEvent, RunResult, ToolRecord, TraceEvent } from "../index.js";
import type { Terminal } from "./terminal.js";
import { TraceLines } from "./trace-lines.js";

/** What is told about a run as a whole. */
export interface RunView {
  loading(progress: number, modelId: string): void;
  start(prompt: string, modelPath: string): void;
  event(event: RunEvent): void;
  trace(event: TraceEvent): void;
  summary(results: readonly RunResult[], stats: readonly HookStats[]): void;
  error(code: string, message: string): void;
}

/** The model's text on stdout, everything else on stderr. */
export class TextView implements RunView {
  readonly #terminal: Terminal;
  readonly #traceLines: TraceLines;
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

  event(event: RunEvent): void {
    switch (event.type) {
      case "token":
        if (event.kind === "content") this.#terminal.result(event.text);
        break;
      case "replaced":
        this.#terminal.endResult();
        this.#note(this.#terminal.style("cyan", "a hook replaced the text above by:"));
        this.#terminal.result(event.text);
        break;
      case "iteration":
        this.#terminal.endResult();
        break;
      case "toolResult":
        this.#tool(event.record);
        break;
      case "end":
        this.#terminal.endResult();
        this.#end(event.result);
    }
  }

  #tool({ name, args, result, isError }: ToolRecord): void {
    const style = this.#terminal.style.bind(this.#terminal);
    this.#terminal.endResult();
    this.#note(`${style("bold", "model")}  → ${style("green", `${name}(${JSON.stringify(args)})`)}`);
    this.#note(`${style("bold", "tool")}   ← ${isError ? style("red", result) : result}`);
  }

  #end({ finishReason, cancel, halt, limit, iterations }: RunResult): void {
    const style = this.#terminal.style.bind(this.#terminal);
    const by = halt ?? cancel;
    if (by !== undefined) this.#note(style("yellow", `${finishReason} by ${by.by}: ${by.reason ?? "no reason given"}`));
    if (limit === "maxIterations")
      this.#note(style("red", `stopped: the model kept calling tools (${iterations} model calls)`));
    if (limit === "maxTokens") this.#note(style("yellow", "the answer was cut off: no more tokens"));
  }

  trace(event: TraceEvent): void {
    // What is decided after the text is no part of its line.
    if (event.type === "decision" && event.point !== "streamToken") this.#terminal.endResult();
    for (const line of this.#traceLines.lines(event)) this.#terminal.note(line);
  }

  summary(results: readonly RunResult[], stats: readonly HookStats[]): void {
    const sum = (of: (result: RunResult) => number): number => results.reduce((total, one) => total + of(one), 0);
    const tokens = sum(({ usage }) => usage.completionTokens);
    const ms = sum(({ usage }) => usage.decodeMs);
    const iterations = sum((result) => result.iterations);
    const speed = ms > 0 ? `, ${Math.round((tokens / ms) * 1000)} tokens/s` : "";
    const count = (key: "calls" | "modifications" | "failures"): number =>
      stats.reduce((total, hook) => total + hook[key], 0);
    const vetoes = sum(
      ({ halt, toolCalls }) =>
        (halt ? 1 : 0) + toolCalls.filter(({ resultKind }) => resultKind === "rejected_hook" && !halt).length,
    );
    const hooks = `hooks: ${count("calls")} calls, ${count("modifications")} changes, ${vetoes} veto${vetoes === 1 ? "" : "es"}, ${count("failures")} failures`;
    const calls = `${iterations} model call${iterations === 1 ? "" : "s"}`;
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

  event(event: RunEvent): void {
    if (event.type !== "end") return write(event);
    const { messages: _, decisions: __, ...result } = event.result;
    write({ type: "end", ...result });
  }

  trace(event: TraceEvent): void {
    write(event);
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
