// `llama-hooks hooks`: prints the table of points. Needs neither the addon nor a model.
import { wrap } from "../../base/wrap.js";
import { type PointInfo, pointNames, POINTS } from "../../index.js";

/** `columns`: of the terminal that the table is for. */
export function hooksTable(json: boolean, columns: number): string {
  const points: PointInfo[] = pointNames.map((name) => POINTS[name]);
  if (json) return points.map((point) => JSON.stringify(row(point))).join("\n");
  return points.map((point) => describe(point, Math.min(columns, mostColumns))).join("\n\n");
}

/** Longer lines are hard to read. */
const mostColumns = 80;
const indent = " ".repeat(6);

function row({ number, name, tsName, kind, when, fields, mutable, answerOnly, textField }: PointInfo): object {
  return { number, name, tsName, kind, when, fields, mutable, answerOnly, textField };
}

function describe(point: PointInfo, columns: number): string {
  const { number, name, tsName, kind, when, fields, mutable, answerOnly, textField } = point;
  const wide = `${String(number).padStart(4)}  ${tsName.padEnd(20)} ${name.padEnd(24)} ${kind}`;
  const head = wide.length <= columns ? wide : wide.replace(/  +/g, " ").replace(/^ /, "");
  const answers = [
    ...(mutable.length > 0 ? [`change ${mutable.join(", ")}`] : []),
    ...(answerOnly.length > 0 ? [`set ${answerOnly.join(", ")}`] : []),
    ...(kind === "pre" ? ["cancel"] : []),
    ...(textField === null ? [] : [`plain text from C replaces ${textField}`]),
  ];
  const lines = [
    when,
    `payload: ${fields.length > 0 ? fields.join(", ") : "meta only"}`,
    `answers: ${answers.length > 0 ? answers.join("; ") : "none, it observes"}`,
  ];
  const width = columns - indent.length;
  return [head, ...lines.flatMap((line) => wrap(line, width, "  ")).map((line) => indent + line)].join("\n");
}
