// `llama-hooks hooks`: prints the table of points. Needs neither the addon nor a model.
import { wrap } from "../../base/wrap.js";
import { type PointInfo, pointNames, POINTS } from "../../index.js";

export function hooksTable(json: boolean): string {
  const points: PointInfo[] = pointNames.map((name) => POINTS[name]);
  if (json) return points.map((point) => JSON.stringify(row(point))).join("\n");
  return points.map(describe).join("\n\n");
}

function row({ number, name, tsName, kind, when, fields, mutable, answerOnly, textField }: PointInfo): object {
  return { number, name, tsName, kind, when, fields, mutable, answerOnly, textField };
}

function describe({ number, name, tsName, kind, when, fields, mutable, answerOnly, textField }: PointInfo): string {
  const head = `${String(number).padStart(4)}  ${tsName.padEnd(20)} ${name.padEnd(24)} ${kind}`;
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
  return [head, ...lines.flatMap((line) => wrap(line, 72, "  ")).map((line) => `      ${line}`)].join("\n");
}
