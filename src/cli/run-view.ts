// How a run is shown: as text for people, or as one JSON object a line. Must not: decide what happens.
import {
  type DownloadProgress,
  type HookStats,
  type OnDownload,
  POINTS,
  type RunEvent,
  type RunResult,
  type ToolRecord,
  type TraceEvent,
} from "../index.js";
import { downloadView } from "./download-view.js";
import { PointCount } from "./point-count.js";
import type { Terminal } from "./terminal.js";
import { TraceLines, wrap } from "./trace-lines.js";

/** What is told about a run as a whole. */
export interface RunView {
  downloading(progress: DownloadProgress): void;
  loading(progress: number, modelId: string): void;
  start(prompt: string, modelPath: string): void;
  event(event: RunEvent): void;
  trace(event: TraceEvent): void;
  /** `points`: which of them fired, where that was counted. */
  summary(result: RunResult, stats: readonly HookStats[], points?: ReturnType<PointCount["summary"]>): void;
  error(code: string, message: string): void;
}

/** The model's text on stdout, everything else on stderr. */
export class TextView implements RunView {
  readonly #terminal: Terminal;
  readonly #traceLines: TraceLines;
  /** Who works, by how deep it was delegated. */
  readonly #names = ["model"];
  /** What somebody below has said, until it is a line. */
  #said = { depth: 0, text: "" };
  #downloading: OnDownload | undefined;
  /** Of the last message, what stands on stdout. */
  #shown = "";

  constructor(terminal: Terminal) {
    this.#terminal = terminal;
    this.#traceLines = new TraceLines(terminal);
  }

  downloading(progress: DownloadProgress): void {
    this.#downloading ??= downloadView(this.#terminal);
    this.#downloading(progress);
  }

  loading(progress: number, modelId: string): void {
    this.#terminal.progress(`loading ${modelId}: ${Math.round(progress * 100)} %`);
  }

  start(prompt: string): void {
    this.#note(`${this.#label("you")} ${prompt}`);
  }

  event(event: RunEvent): void {
    if (event.type === "token" && event.kind !== "content") return;
    const depth = "depth" in event ? (event.depth ?? 0) : 0;
    if (event.type !== "token" || depth !== this.#said.depth) this.#endSaid();
    switch (event.type) {
      case "token":
        if (depth > 0) this.#said = { depth, text: this.#said.text + event.text };
        else this.#show(event.text);
        break;
      case "replaced":
        if (depth > 0) break;
        this.#terminal.endResult();
        this.#note(this.#terminal.style("cyan", "a hook replaced the text above by:"));
        this.#shown = "";
        this.#show(event.text);
        break;
      case "iteration":
        this.#terminal.endResult();
        if (depth === 0) this.#shown = "";
        break;
      case "delegation":
        this.#names[depth + 1] = event.tier;
        this.#line(depth, `⇒ ${this.#terminal.style("green", event.tier)}: ${event.task}`);
        break;
      case "toolResult":
        this.#tool(event.record, depth);
        break;
      case "end":
        if (event.result.finishReason === "complete" && event.result.text !== this.#shown) {
          this.#terminal.endResult();
          this.#terminal.result(event.result.text); // a completion, which is not streamed
        }
        this.#terminal.endResult();
        this.#end(event.result);
    }
  }

  #show(text: string): void {
    this.#terminal.result(text);
    this.#shown += text;
  }

  #endSaid(): void {
    const { depth, text } = this.#said;
    this.#said = { depth: 0, text: "" };
    if (text !== "") this.#line(depth, text);
  }

  #label(name: string): string {
    return this.#terminal.style("bold", name) + " ".repeat(Math.max(0, 6 - name.length));
  }

  #line(depth: number, text: string): void {
    this.#terminal.endResult();
    this.#note(`${"  ".repeat(depth)}${this.#label(this.#names[depth] ?? "model")} ${text}`);
  }

  #tool({ name, args, result, isError }: ToolRecord, depth: number): void {
    const style = this.#terminal.style.bind(this.#terminal);
    this.#line(depth, `→ ${style("green", `${name}(${JSON.stringify(args)})`)}`);
    const indent = "  ".repeat(depth);
    const told = result.replaceAll("\n", `\n${indent}${" ".repeat(9)}`);
    this.#note(`${indent}${this.#label("tool")} ← ${isError ? style("red", told) : told}`);
  }

  #end({ finishReason, cancel, halt, limit, iterations }: RunResult): void {
    const style = this.#terminal.style.bind(this.#terminal);
    const by = halt ?? cancel;
    if (by !== undefined) this.#note(style("yellow", `${finishReason} by ${by.by}: ${by.reason ?? "no reason given"}`));
    if (limit === "maxTokens") this.#note(style("yellow", "the answer was cut off: no more tokens"));
    else if (limit === "maxIterations")
      this.#note(style("red", `stopped: the model kept calling tools (${iterations} model calls)`));
    else if (limit !== null) this.#note(style("red", `stopped: the run came to its limit, ${limit}`));
  }

  trace(event: TraceEvent): void {
    // What is decided after the text is no part of its line.
    if (event.type === "decision" && event.point !== "streamToken") this.#terminal.endResult();
    for (const line of this.#traceLines.lines(event)) this.#terminal.note(line);
  }

  summary(result: RunResult, stats: readonly HookStats[], points?: ReturnType<PointCount["summary"]>): void {
    const { iterations, halt, toolCalls } = result;
    const { completionTokens: tokens, decodeMs: ms } = result.usage;
    const speed = ms > 0 ? `, ${Math.round((tokens / ms) * 1000)} tokens/s` : "";
    const own = stats.filter(({ name }) => points === undefined || name !== PointCount.hookName);
    const count = (key: "calls" | "modifications" | "failures"): number =>
      own.reduce((total, hook) => total + hook[key], 0);
    const vetoes = halt ? 1 : toolCalls.filter(({ resultKind }) => resultKind === "rejected_hook").length;
    const hooks = `hooks: ${count("calls")} calls, ${count("modifications")} changes, ${vetoes} veto${vetoes === 1 ? "" : "es"}, ${count("failures")} failures`;
    const calls = `${iterations} model call${iterations === 1 ? "" : "s"}`;
    this.#note(this.#terminal.style("dim", `${tokens} tokens in ${calls}${speed} · ${hooks}`));
    if (points !== undefined) this.#points(points);
  }

  #points({ fired, others }: ReturnType<PointCount["summary"]>): void {
    const { style, columns } = { style: this.#terminal.style.bind(this.#terminal), columns: this.#terminal.columns };
    const list = (title: string, names: readonly string[]): void => {
      for (const line of wrap(`${title}: ${names.join(", ")}`, columns)) this.#note(style("dim", line));
    };
    list(
      `${fired.length} of ${fired.length + others.length} points fired`,
      fired.map(([point, times]) => `${point} ${times}`),
    );
    list(
      "not asked for",
      others.filter((point) => POINTS[point].fires),
    );
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
  downloading(progress: DownloadProgress): void {
    write({ type: "download", ...progress });
  }

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
