// What a saved session says of its states, so that it can go back to each.
import { readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import { expect, test } from "vitest";
import { openEngine, rejection, tempDir } from "../../support/engine.js";
import { calls, directs } from "../../support/sessions.js";

const long = "to do much ".repeat(50);
const todos = (...statuses: string[]) =>
  calls("todo", { todos: statuses.map((status, i) => ({ content: `${long}${i}`, status })) });
const anchor = (content: string) =>
  calls("directs", { directives: [{ type: "context_anchor", params: { key: "k", content } }] });
const options = { tools: [directs], temperature: 0, controlTools: ["todo"] } as const;

interface Saved {
  conversation: { states: { count: number; todos?: unknown[]; anchors?: Record<string, unknown> }[] };
}

test("a text that stays stands there once, and the session goes back to each state", async () => {
  const steps = [["pending", "pending"], ["in_progress", "pending"], ["completed", "pending"], ["completed"]];
  const said = `anchored ${"words ".repeat(100)}`;
  const engine = await openEngine({ replies: [anchor(said), ...steps.map((one) => todos(...one)), "Done."] });
  const session = engine.session(options);
  const { messages } = await session.run("Go");
  const file = path.join(await tempDir(), "session.json");
  await session.save(file);
  const saved = JSON.parse(await readFile(file, "utf8")) as Saved;
  const states = JSON.stringify(saved.conversation.states);
  expect(states.split(`${long}1`).length - 1).toBe(1);
  expect(states).not.toContain(said);

  const stateAt = async (at: string): Promise<[unknown, unknown]> => {
    const fork = engine.restoreSession(file, { ...options, id: `at-${at}` });
    fork.rewind(at);
    const place = path.join(await tempDir(), "later.json");
    await fork.save(place);
    const { conversation } = JSON.parse(await readFile(place, "utf8")) as {
      conversation: { todos: { status: string }[]; anchors: object };
    };
    return [conversation.todos.map(({ status }) => status), Object.keys(conversation.anchors)];
  };
  const results = messages.filter(({ role }) => role === "tool");
  for (const [i, step] of steps.entries())
    expect(await stateAt(results[i + 1]?.id ?? ""), `step ${i}`).toEqual([step, ["k"]]);

  for (const [wrong, says] of [
    [{ todos: [0, 99] }, /states: 99 is none of the todos/],
    [{ todos: [-1] }, /states: -1 is none of the todos/],
    [{ anchors: { k: "msg_none" } }, /states: the anchor k is no message of the user/],
    [{ anchors: { k: messages.at(-1)?.id } }, /states: the anchor k is no message of the user/],
  ] as const) {
    const at = saved.conversation.states.at(-1)?.count ?? 0;
    const edited = { ...saved, conversation: { ...saved.conversation } };
    edited.conversation.states = [...saved.conversation.states, { count: at, ...wrong } as never];
    await writeFile(file, JSON.stringify(edited));
    expect(await rejection(Promise.resolve().then(() => engine.restoreSession(file, options)))).toMatchObject({
      code: "SESSION_FILE_INVALID",
      message: expect.stringMatching(says) as string,
    });
  }
});
