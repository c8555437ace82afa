// Every wrong answer at every point: what the error says of it. The wrong values are made of the schemas of the contract.
import { expect, test } from "vitest";
import { cancel, POINTS, type PrePoint } from "../../src/index.js";
import { hookAt } from "../support/order/orders.js";
import { answerFields, rowOf } from "../support/schema.js";
import { decisionsAt, recordOf, traced } from "../support/trace.js";
import { definitions } from "./definitions.js";
import type { PointDefinition } from "./five-tests.js";
import { wrongValues } from "./wrong-values.js";

interface WrongAnswer {
  readonly answer: unknown;
  /** The text of the error after the names of hook and point. */
  readonly says: string | RegExp;
}

const camel = (name: string): string => name.replace(/_([a-z0-9])/g, (_, letter: string) => letter.toUpperCase());

class Odd {
  readonly content = "x";
}
const circular: Record<string, unknown> = {};
circular["inner"] = [circular];

/** Values that are not objects with fields, and their form in a message. */
const noObjects: readonly (readonly [unknown, string])[] = [
  [7, "7"],
  [0, "0"],
  [Number.NaN, "NaN"],
  [7n, "7n"],
  ["text", '"text"'],
  ["", '""'],
  [true, "true"],
  [false, "false"],
  [null, "null"],
  [Symbol("odd"), "Symbol(odd)"],
  [[1, 2], "an array of 2"],
  [new Map(), "an object (Map)"],
  [new Error("no"), "an object (Error)"],
  [function odd() {}, "a function (odd)"],
];

/** Values that JSON cannot hold, as a field or inside one, and the message about each. */
const noJson: readonly (readonly [unknown, place: string, why: string])[] = [
  [7n, "", "is bigint 7n, which JSON cannot hold"],
  [Number.NaN, "", "is number NaN, which JSON cannot hold"],
  [-Infinity, "", "is number -Infinity, which JSON cannot hold"],
  [Symbol("odd"), "", "is symbol Symbol(odd), which JSON cannot hold"],
  [() => 7, "", "is function a function, which JSON cannot hold"],
  [new Map([["a", 1]]), "", "is an object (Map), which JSON cannot hold"],
  [Promise.resolve("x"), "", "is an object (Promise), which JSON cannot hold"],
  [circular, ".inner[0]", "contains itself"],
  [{ deep: [1, { at: 7n }] }, ".deep[1].at", "is bigint 7n, which JSON cannot hold"],
  [["x", undefined], "[1]", "is undefined, which JSON cannot hold"],
];

/** The answers that a handler of the point may give, in the words of the messages. */
function expectedAt({ point }: PointDefinition, guard = false): string {
  const { kind, mutable, answerOnly } = POINTS[point];
  if (kind === "info") return "undefined, because an info point takes no answer";
  if (guard) return "undefined or cancel(reason), for a guard changes nothing";
  const fields = [...mutable, ...answerOnly];
  const answers = ["undefined", ...(kind === "pre" ? ["cancel(reason)"] : [])];
  if (fields.length > 0) answers.push(`an object with ${fields.join(", ")}`);
  return `${answers.join(" or ")}${kind === "post" ? ", for a post point cannot cancel" : ""}`;
}

function wrongAnswers(definition: PointDefinition): WrongAnswer[] {
  const { number, kind, mutable, answerOnly, fields } = POINTS[definition.point];
  const expected = expectedAt(definition);
  const whole = (answer: unknown, shown: string): WrongAnswer => ({
    answer,
    says: `answered with ${shown}, expected ${expected}`,
  });
  const all = noObjects.map(([answer, shown]) => whole(answer, shown));
  if (kind !== "pre") all.push(whole(cancel("no"), 'cancel("no")'));
  if (kind === "info") {
    all.push(
      whole({}, "an object"),
      whole({ [fields[0] ?? "meta"]: 1 }, "an object"),
      whole(new Odd(), "an object (Odd)"),
    );
    return all;
  }

  const schemas = Object.entries(answerFields(rowOf(number)));
  const known = [...mutable, ...answerOnly];
  const answered = schemas.map(([field]) => camel(field));
  const takes = known.length > 0 ? `known: ${known.join(", ")}` : "it takes none";
  all.push({ answer: { oddField: 1 }, says: `field "oddField": this point takes no such field; ${takes}` });
  for (const field of ["meta", ...fields].filter((name) => !(known as string[]).includes(name))) {
    const taken = answered.length > 0 ? `it takes ${answered.join(", ")}` : "it takes none";
    // A field that this event happens not to have is not there to be changed.
    const says = new RegExp(
      `^field "${field}": (cannot be changed at this point|this point takes no such field); ${taken}$`,
      "u",
    );
    all.push({ answer: { [field]: { odd: true } }, says });
  }
  for (const [field, schema] of schemas) {
    const name = camel(field);
    for (const { value, place, why } of wrongValues(schema))
      all.push({
        answer: { [name]: value },
        says: `field "${name}${camel(place)}": ${why.startsWith("lacks") ? camel(why) : why}`,
      });
    for (const [value, place, why] of noJson)
      all.push({ answer: { [name]: value }, says: `field "${name}${place}": ${why}` });
  }
  return all;
}

const settled = (outcome: PromiseLike<unknown>): Promise<unknown> =>
  Promise.resolve(outcome).catch((error: unknown) => error);

/** The text of the hook's error after the names of hook and point, or the hook's outcome if it did not fail. */
function saidOf(record: ReturnType<typeof recordOf>, point: string): string {
  if (record.error === undefined) return `no failure: ${record.outcome}`; // one that refuses something also counts
  const { code, message } = record.error ?? { code: "no error", message: "" };
  const start = `hook ${JSON.stringify(record.name)} at ${point}: `;
  return code === "HOOK_BAD_ANSWER" && message.startsWith(start) ? message.slice(start.length) : `${code} ${message}`;
}

for (const definition of Object.values(definitions)) {
  const { point } = definition;
  const { kind } = POINTS[point];

  test(`${point}: each wrong answer is an error that names hook, point and field, what was expected and what was got`, async () => {
    const engine = await definition.open();
    const answers = wrongAnswers(definition);
    for (const [index, { answer }] of answers.entries()) {
      hookAt(engine, point, () => answer, { name: `now ${index}` });
      hookAt(engine, point, () => Promise.resolve(answer), { name: `later ${index}` });
    }
    const decisions = decisionsAt(await traced(engine, () => settled(definition.occasion(engine))), point);
    for (const [index, { says }] of answers.entries()) {
      for (const hook of [`now ${index}`, `later ${index}`]) {
        const said = saidOf(recordOf(decisions, hook), point);
        if (typeof says === "string") expect(said).toBe(says);
        else expect(said).toMatch(says);
      }
    }
  });

  if (kind === "pre") {
    test(`${point}: a guard that answers with a field gets an error`, async () => {
      const engine = await definition.open();
      const [field = "odd"] = [...POINTS[point].mutable, ...POINTS[point].answerOnly];
      engine.hooks.guard(point as PrePoint, (() => ({ [field]: "x" })) as never, { name: "guard" });
      const decisions = decisionsAt(await traced(engine, () => settled(definition.occasion(engine))), point);
      const said = saidOf(recordOf(decisions, "guard"), point);
      expect(said).toBe(`answered with an object, expected ${expectedAt(definition, true)}`);
    });
  }
}
