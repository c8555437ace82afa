// Shows a run: as text for people, or as one JSON object per line.
import { plural } from "../../base/plural.js";
import { wrap } from "../../base/wrap.js";
import {
  type DownloadProgress,
  type Hooks,
  type HookStats,
  type OnDownload,
  type RunEvent,
  type RunResult,
  type ToolCallEvent,
  type ToolRecord,
  type TraceEvent,
} from "../../index.js";
import { CallLines } from "./call-lines.js";
import { downloadView } from "./download-view.js";
import { type Failure, failureText } from "../process/error-text.js";
import { type Figures, figuresText, speedOf } from "./run-figures.js";
import { fold } from "../process/fold.js";
import { sanitize, sanitizeData, sanitizeName } from "../process/sanitize.js";
import { MessageBuffer } from "./message-buffer.js";
import { hookCounts } from "./hook-counts.js";
import { jsonLine } from "../process/json-line.js";
import { isOwnHook } from "./own-hooks.js";
import type { PointCount } from "./point-count.js";
import type { Terminal } from "../process/terminal.js";
import { TraceLines } from "./trace-lines.js";

/** The methods that show the parts of a run. */
export interface RunView {
  downloading(progress: DownloadProgress): void;
  loading(progress: number, modelId: string): void;
  /**
   * `hooks`: the hooks of the engine. While one of them may replace a message, output that cannot be corrected waits.
   */
  start(prompt: string, modelPath: string, hooks: Pick<Hooks, "list">): void;
  /** `figures`: given at the end of a run. */
  event(event: RunEvent, figures?: Figures): void;
  /** `call`: the tool call that the event belongs to. */
  trace(event: TraceEvent, call: string | undefined): void;
  /** `points`: which points fired, if they were counted. */
  summary(result: RunResult, stats: readonly HookStats[], points?: ReturnType<PointCount["summary"]>): void;
  error(failure: Failure): void;
  /** The user interrupted before the run began. */
  interrupted(): void;
  warning(warning: string | Failure): void;
}

/** Tools of the engine whose call is shown before the output of the runs that it starts. */
const enclosingTools: ReadonlySet<string> = new Set(["delegate", "pipeline", "plan"]);

/** The width of "you", "model" and "tool" with a space. Names of tiers may be longer. */
const labelWidth = 6;

/** Writes the model's text to stdout, everything else to stderr. */
export class TextView implements RunView {
  readonly #terminal: Terminal;
  readonly #traceLines: TraceLines;
  readonly #callLines = new CallLines();
  /** The call of an enclosing tool, by run, until it is shown. */
  readonly #enclosing = new Map<string, ToolCallEvent>();
  /** The runs shown here; the engine may have others. */
  readonly #runs = new Set<string>();
  /** The name of the model or tier, by depth of delegation. */
  readonly #names = ["model"];
  /** The text of a delegated run, until its line is complete. */
  #said = { depth: 0, text: "" };
  #downloading: OnDownload | undefined;
  /** The part of the last message that is on stdout. */
  #shown = "";
  #held: MessageBuffer | undefined;
  readonly #showsPrompt: boolean;
  readonly #showsFigures: boolean;

  /**
   * `showsPrompt`: show the prompt at the start of a run, unless the user typed it on this terminal. `showsFigures`:
   * show figures at its end.
   */
  constructor(terminal: Terminal, { showsPrompt = true, showsFigures = false } = {}) {
    this.#terminal = terminal;
    this.#showsPrompt = showsPrompt;
    this.#showsFigures = showsFigures;
    this.#traceLines = new TraceLines(terminal);
  }

  downloading(progress: DownloadProgress): void {
    this.#downloading ??= downloadView(this.#terminal);
    this.#downloading(progress);
  }

  loading(progress: number, modelId: string): void {
    this.#terminal.progress(`loading ${sanitizeName(modelId)}: ${Math.round(progress * 100)} %`);
  }

  start(prompt: string, _: string, hooks: Pick<Hooks, "list">): void {
    if (!this.#terminal.canCorrect) this.#held = new MessageBuffer(hooks);
    if (this.#showsPrompt) this.#note(`${this.#label("you")} ${sanitize(prompt)}`);
  }

  event(event: RunEvent, figures?: Figures): void {
    for (const one of this.#held?.take(event) ?? [event]) this.#tell(one);
    const text = this.#showsFigures && figures !== undefined ? figuresText(figures) : undefined;
    if (text !== undefined) this.#note(this.#terminal.style("dim", text));
  }

  #tell(event: RunEvent): void {
    if (event.type === "start" || event.type === "toolCallDelta") return;
    if (event.type === "token" && event.kind !== "content") return;
    const depth = "depth" in event ? (event.depth ?? 0) : 0;
    if (event.type === "replaced" && depth > 0) {
      this.#said = { depth, text: event.text };
      return;
    }
    if (event.type !== "token" || depth !== this.#said.depth) this.#endSaid();
    if ("runId" in event) this.#runs.add(event.runId);
    switch (event.type) {
      case "token":
        if (depth > 0) this.#said = { depth, text: this.#said.text + event.text };
        else this.#show(event.text);
        break;
      case "replaced":
        if (event.text === this.#shown) break; // only calls are others
        this.#terminal.endResult();
        if (this.#shown !== "") this.#note(this.#terminal.style("cyan", "the text above is replaced by:"));
        this.#shown = "";
        this.#show(event.text);
        break;
      case "iteration":
        this.#terminal.endResult();
        if (depth === 0) this.#shown = "";
        break;
      case "toolCall":
        if (!enclosingTools.has(event.name)) break;
        this.#showEnclosing(event.runId);
        this.#enclosing.set(event.runId, event);
        break;
      case "delegation":
        this.#showEnclosing(event.runId);
        this.#names[depth + 1] = sanitizeName(event.tier);
        this.#line(depth, `⇒ ${this.#terminal.style("green", sanitizeName(event.tier))}: ${sanitize(event.task)}`);
        break;
      case "toolResult":
        if (this.#enclosing.get(event.runId)?.id !== event.record.id) this.#showEnclosing(event.runId);
        this.#tool(event.record, depth);
        break;
      case "end":
        this.#endCalls();
        if (event.result.finishReason === "complete" && event.result.text !== this.#shown) {
          this.#terminal.endResult();
          this.#terminal.result(event.result.text); // a completion was not streamed
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
    if (text !== "") this.#line(depth, this.#beside(depth, sanitize(text)));
  }

  #label(name: string): string {
    return this.#terminal.style("bold", name) + " ".repeat(Math.max(0, labelWidth - name.length));
  }

  #line(depth: number, text: string): void {
    this.#terminal.endResult();
    this.#note(`${"  ".repeat(depth)}${this.#label(this.#names[depth] ?? "model")} ${text}`);
  }

  /** Shows a call, the decisions of hooks about it, and its result. */
  #tool(record: ToolRecord, depth: number): void {
    this.#call(record, depth, "all");
    const result = this.#beside(depth, sanitize(record.result).trimEnd(), "← ");
    const text = record.isError ? this.#terminal.style("red", result) : result;
    this.#note(`${"  ".repeat(depth)}${this.#label("tool")} ← ${text}`);
    this.#callLines.end(record.id);
  }

  #showEnclosing(runId: string): void {
    const call = this.#enclosing.get(runId);
    this.#enclosing.delete(runId);
    if (call !== undefined) this.#call(call, call.depth, "opening");
  }

  /** Shows a call once, and the trace lines that wait for it. */
  #call({ id, name, args }: Pick<ToolRecord, "id" | "name" | "args">, depth: number, which: "opening" | "all"): void {
    if (this.#callLines.shows(id)) {
      const shown = sanitizeData({ name, args });
      const text = this.#beside(depth, `${shown.name}(${JSON.stringify(shown.args)})`, "→ ");
      this.#line(depth, `→ ${this.#terminal.style("green", text)}`);
    }
    for (const line of this.#callLines.take(id, which)) this.#note(line);
  }

  #endCalls(): void {
    for (const line of this.#callLines.rest()) this.#note(line);
    this.#enclosing.clear();
    this.#runs.clear();
  }

  /**
   * Indents the lines that follow the first to the column of a label and a sign. On a terminal, long lines are broken.
   */
  #beside(depth: number, text: string, sign = ""): string {
    const column = 2 * depth + labelWidth + 1 + sign.length;
    const lines = this.#terminal.isInteractive ? fold(text, this.#terminal.columns - column) : text.split("\n");
    return lines.join(`\n${" ".repeat(column)}`);
  }

  #end({ finishReason, cancel, halt, limit, iterations, waiting = [] }: RunResult): void {
    const { style } = this.#terminal;
    const by = sanitizeData(halt ?? cancel);
    if (by !== undefined) this.#note(style("yellow", `${finishReason} by ${by.by}: ${by.reason ?? "no reason given"}`));
    for (const { name, args, deferredBy, waitsFor, reason } of sanitizeData(waiting)) {
      const why = reason === null ? "" : `: ${reason}`;
      this.#note(style("yellow", `${name}(${JSON.stringify(args)}) waits for ${waitsFor ?? deferredBy}${why}`));
    }
    if (limit === "maxTokens") this.#note(style("yellow", "the answer was cut off: the token limit was reached"));
    else if (limit === "maxIterations")
      this.#note(style("red", `stopped: the model kept calling tools (${plural(iterations, "model call")})`));
    else if (limit !== null) this.#note(style("red", `stopped: the run reached its limit, ${limit}`));
  }

  trace(event: TraceEvent, call: string | undefined): void {
    const waits = call !== undefined && event.type === "decision" && this.#runs.has(event.runId ?? "");
    if (waits) for (const line of this.#traceLines.flush()) this.#terminal.note(line);
    const lines = this.#traceLines.lines(event);
    if (waits && this.#callLines.hold(call, event.point, lines)) return;
    for (const line of lines) this.#terminal.note(line);
  }

  summary(result: RunResult, stats: readonly HookStats[], points?: ReturnType<PointCount["summary"]>): void {
    const { iterations, halt, toolCalls } = result;
    const tokens = result.usage.completionTokens;
    const perSecond = speedOf(result.usage);
    const speed = perSecond === null ? "" : `, ${perSecond} tokens/s`;
    const users = stats.filter((hook) => !isOwnHook(hook));
    const count = (key: "calls" | "modifications" | "failures"): number =>
      users.reduce((total, hook) => total + hook[key], 0);
    const vetoes = halt ? 1 : toolCalls.filter(({ resultKind }) => resultKind === "rejected_hook").length;
    const done = { calls: count("calls"), modifications: count("modifications"), vetoes, failures: count("failures") };
    const calls = `${plural(tokens, "token")} in ${plural(iterations, "model call")}`;
    this.#note(this.#terminal.style("dim", `${calls}${speed} · hooks: ${hookCounts(done)}`));
    if (points !== undefined) this.#points(points);
  }

  #points({ fired, others }: ReturnType<PointCount["summary"]>): void {
    const { style, columns } = this.#terminal;
    const list = (title: string, names: readonly string[]): void => {
      for (const line of wrap(`${title}: ${names.join(", ")}`, columns, "  ")) this.#note(style("dim", line));
    };
    list(
      `${fired.length} of ${fired.length + others.length} points fired`,
      fired.map(([point, times]) => `${point} ${times}`),
    );
    list("not asked for", others);
  }

  error(failure: Failure): void {
    for (const event of this.#held?.rest() ?? []) this.#tell(event);
    this.#terminal.endResult();
    this.#endCalls();
    this.#note(this.#terminal.style("red", failureText(failure)));
  }

  interrupted(): void {
    this.#note(this.#terminal.style("yellow", "interrupted"));
  }

  warning(warning: string | Failure): void {
    const text = typeof warning === "string" ? sanitize(warning) : failureText(warning);
    this.#note(this.#terminal.style("yellow", text));
  }

  #note(line: string): void {
    for (const open of this.#traceLines.flush()) this.#terminal.note(open);
    this.#terminal.note(line);
  }
}

/** Writes one JSON object per line to stdout, and nothing else. */
export class JsonView implements RunView {
  #held: MessageBuffer | undefined;

  downloading(progress: DownloadProgress): void {
    write({ type: "download", ...progress });
  }

  loading(): void {}

  start(prompt: string, model: string, hooks: Pick<Hooks, "list">): void {
    this.#held = new MessageBuffer(hooks);
    write({ type: "start", prompt, model });
  }

  event(event: RunEvent, figures?: Figures): void {
    for (const one of this.#held?.take(event) ?? [event]) this.#tell(one, figures);
  }

  #tell(event: RunEvent, figures?: Figures): void {
    if (event.type === "start") return; // each run has one record of this type, which start() writes
    if (event.type !== "end") return write(event);
    const { messages: _, decisions: __, ...result } = event.result;
    write({ type: "end", ...result, ...figures });
  }

  trace(event: TraceEvent): void {
    write(event);
  }

  summary(): void {}

  error(failure: Failure): void {
    for (const event of this.#held?.rest() ?? []) this.#tell(event);
    write({ type: "error", ...failure });
  }

  interrupted(): void {
    write({ type: "error", code: "CANCELLED", message: "interrupted" });
  }

  warning(warning: string | Failure): void {
    write({ type: "warning", ...(typeof warning === "string" ? { message: warning } : warning) });
  }
}

function write(value: object): void {
  process.stdout.write(jsonLine(value));
}
