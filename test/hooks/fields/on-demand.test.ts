import { inspect } from "node:util";
import { expect, test } from "vitest";
import type { HookEventOf, Message } from "../../../src/index.js";
import { openEngine } from "../../support/engine.js";
import { calls } from "../../support/sessions.js";

type Asked = HookEventOf<"preGenerate">;
const said = (count: number): Message[] =>
  Array.from({ length: count }, (_, index) => ({
    role: index % 2 === 0 ? "user" : "assistant",
    content: `${index}: "quoted", [bracketed] {and} braced \\ äöü ${"x".repeat(80)}`,
  }));
const messages = said(17);
const isAccessor = (event: object, field: string): boolean =>
  Object.getOwnPropertyDescriptor(event, field)?.get !== undefined;

/** Runs a handler on the event of a call with a long conversation, and returns what it returns. */
async function onEvent<T>(handler: (event: Asked) => T): Promise<T> {
  const engine = await openEngine(["Yes."]);
  const found: T[] = [];
  engine.hooks.on("preGenerate", (event) => void found.push(handler(event)));
  const { decisions } = await engine.generate(messages);
  expect(decisions.flatMap(({ hooks }) => hooks.map(({ error }) => error))).toEqual([undefined]);
  return found[0] as T;
}

test("a long list of an event is made when it is first read, and short fields at once", async () => {
  const steps = await onEvent((event) => {
    const before = [isAccessor(event, "messages"), isAccessor(event, "params"), isAccessor(event, "tools")];
    const { messages: first } = event;
    return [...before, isAccessor(event, "messages"), first === event.messages, first.length];
  });
  expect(steps).toEqual([true, false, false, false, true, messages.length]);
});

const readings: Record<string, (event: Asked) => unknown> = {
  "a property": (event) => event.messages,
  destructuring: ({ messages: all }) => all,
  "the rest": ({ point, ...rest }) => (point === "preGenerate" ? rest.messages : undefined),
  spread: (event) => ({ ...event }).messages,
  "Object.entries": (event) => Object.fromEntries(Object.entries(event))["messages"],
  "Object.values": (event) => Object.values(event)[Object.keys(event).indexOf("messages")],
  "Object.assign": (event) => Object.assign({} as Asked, event).messages,
  JSON: (event) => (JSON.parse(JSON.stringify(event)) as Asked).messages,
  structuredClone: (event) => structuredClone({ ...event, signal: undefined }).messages,
  "structuredClone of the event": (event) => structuredClone(event).messages,
  Reflect: (event) => Reflect.get(event, "messages"),
  "a derived object": (event) => (Object.create(event) as Asked).messages,
  "a proxy": (event) => new Proxy(event, {}).messages,
  "a frozen event": (event) => Object.freeze(event).messages,
  "a sealed event": (event) => Object.seal(event).messages,
};

test.each(Object.keys(readings))("a long list is read by %s", async (name) => {
  expect(await onEvent(readings[name] as (event: Asked) => unknown)).toEqual(messages);
});

test("an event with a long list looks like one whose list was read", async () => {
  const looks = (event: Asked): unknown[] => [
    Object.keys(event),
    "messages" in event,
    Object.hasOwn(event, "messages"),
    Object.prototype.propertyIsEnumerable.call(event, "messages"),
    Object.isFrozen(event),
    Object.isExtensible(event),
    JSON.stringify(event),
    inspect(event, { depth: 4 }),
  ];
  const [unread, read] = await onEvent((event) => {
    const first = looks(event); // the last two read it
    return [first, looks(event)];
  });
  expect(unread).toEqual(read);
});

test.each([
  ["an event", (event: Asked) => event],
  ["a frozen event", (event: Asked) => Object.freeze(event)],
])("%s is printed with its values", async (_, prepare) => {
  const text = await onEvent((event) => inspect(prepare(event), { depth: 4, maxArrayLength: 99 }));
  expect(text).toMatch(/^Event \{\s+point: 'preGenerate',\s+meta: /);
  expect(text).toContain("16: ");
  expect(text).not.toContain("Getter");
});

test("a value that is assigned to an unread list stays, unless the event is frozen", async () => {
  const given = [{ role: "user", content: "mine" }];
  const assign = (event: object): unknown => ((event as { messages: unknown }).messages = given);
  const assigned = await onEvent((event) => {
    const copies = [event, Object.create(event) as Asked];
    copies.forEach(assign);
    return copies.map((copy) => copy.messages);
  });
  expect(assigned).toEqual([given, given]);
  expect(await onEvent((event) => [assign(Object.seal(event)), event.messages])).toEqual([given, given]);
  expect(await onEvent((event) => [() => assign(Object.freeze(event)), event] as const)).toSatisfy(
    ([fails, event]: readonly [() => unknown, Asked]) => {
      expect(fails).toThrow(TypeError);
      return event.messages.length === messages.length;
    },
  );
});

test("a list that is changed or deleted changes nothing but the event", async () => {
  const engine = await openEngine(["Yes."]);
  const seen: unknown[] = [];
  engine.hooks.on("preGenerate", (event) => {
    (event.messages as Message[]).length = 1;
    seen.push(event.messages.length);
  });
  engine.hooks.on("preGenerate", (event) => {
    seen.push(event.messages.length, delete (event as { messages?: unknown }).messages, event.messages);
  });
  engine.hooks.on("preGenerate", (event) => void seen.push(event.messages.length));
  await engine.generate(messages);
  expect(seen).toEqual([1, messages.length, true, undefined, messages.length]);
});

test("a list that is read late is that of the call, though later hooks changed it", async () => {
  const engine = await openEngine(["Yes."]);
  const kept: Asked[] = [];
  let later: Promise<number> | undefined;
  let resume = (): void => undefined;
  const afterwards = new Promise<void>((resolve) => (resume = resolve));
  engine.hooks.on("preGenerate", (event) => void kept.push(event));
  engine.hooks.on(
    "preGenerate",
    (event) => {
      later = afterwards.then(() => event.messages.length);
    },
    { observe: true },
  );
  engine.hooks.on("preGenerate", () => ({ messages: said(19) }));
  engine.hooks.on("preGenerate", (event) => void kept.push(event));
  await engine.generate(messages);
  resume();
  expect(await later).toBe(messages.length);
  expect(kept.map((event) => [isAccessor(event, "messages"), event.messages])).toEqual([
    [true, messages],
    [true, said(19)],
  ]);
});

test("an answer of one field leaves the other fields to later hooks as they were", async () => {
  const engine = await openEngine(["Yes."]);
  const events: Asked[] = [];
  engine.hooks.on("preGenerate", (event) => void events.push({ ...event }));
  engine.hooks.on("preGenerate", ({ params }) => ({ params: { ...params, topK: 7 } }));
  engine.hooks.on("preGenerate", () => ({ model: "default" }));
  engine.hooks.on("preGenerate", (event) => void events.push({ ...event }));
  await engine.generate(messages);
  const [before, after] = events as [Asked, Asked];
  expect(Object.keys(after)).toEqual([...Object.keys(before), "model"]);
  const { meta: _, params: __, ...others } = before;
  expect(after).toMatchObject(others);
  expect(after.params).toEqual({ ...before.params, topK: 7 });
});

test("keys of the tool's own stay as they are in large arguments and results", async () => {
  const args = { snake_case: { inner_key: "x".repeat(3000) }, camelCase: ["a_b"] };
  const engine = await openEngine([calls("note", args), "Done."]);
  const seen: unknown[] = [];
  engine.hooks.on("preToolCall", (event) => void seen.push(isAccessor(event, "args"), event.args));
  engine.hooks.on("postToolCall", (event) => void seen.push(event.args), {
    when: { args: (all) => "camelCase" in all },
  });
  const note = { name: "note", parameters: { type: "object" }, run: () => "noted" } as const;
  await engine.session({ tools: [note] }).run("Note it");
  expect(seen).toEqual([true, args, args]);
});
