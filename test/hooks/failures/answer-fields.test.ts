// The fields of a hook's answer count, however the object provides them.
import { expect, test } from "vitest";
import { type HookRecord } from "../../../src/index.js";
import { openEngine } from "../../support/engine.js";
import { asks, runOnce, resultTexts, tools } from "../../support/sessions.js";

class Denied {
  get permission(): string {
    return "deny";
  }
  explain(): string {
    return "methods are no fields";
  }
}
class DeniedBelow extends Denied {}

for (const [what, answer] of [
  ["an accessor of its class", () => new Denied()],
  ["an accessor of a class above", () => new DeniedBelow()],
  ["its prototype", () => Object.create({ permission: "deny" }) as object],
  ["an own accessor", () => Object.defineProperty({}, "permission", { get: () => "deny", enumerable: true })],
  ["a property that is not enumerable", () => Object.defineProperty({}, "permission", { value: "deny" })],
  ["a proxy", () => new Proxy({}, { get: (_, key) => (key === "permission" ? "deny" : undefined), has: () => true })],
  ["the event, as a prototype", (event: object) => Object.create(event, { permission: { value: "deny" } }) as object],
] as const) {
  test(`a refusal that is given by ${what} counts`, async () => {
    const engine = await openEngine([asks("Oslo"), "Done."]);
    engine.hooks.on("preToolCall", ((event: object) => answer(event)) as never);
    const result = await runOnce(engine, { tools });
    expect(resultTexts(result)).toHaveLength(1);
    expect(result.toolCalls).toMatchObject([{ resultKind: "rejected_permission" }]);
  });
}

async function record(answer: (event: object) => unknown): Promise<HookRecord | undefined> {
  const engine = await openEngine(["Hello."]);
  engine.hooks.on("preGenerate", answer as never, { name: "odd" });
  return (await engine.generate("hi")).decisions[0]?.hooks[0];
}

test("fields inside of an answer count in the same way", async () => {
  class Params {
    get maxTokens(): number {
      return 1;
    }
  }
  const engine = await openEngine(["one two three"]);
  engine.hooks.on("preGenerate", () => ({ params: new Params() }));
  expect((await engine.generate("hi")).usage.completionTokens).toBe(1);
});

test("an accessor that no point has is a wrong answer, and a method is none", async () => {
  class Typo {
    get respons(): string {
      return "x";
    }
  }
  expect(await record(() => new Typo())).toMatchObject({ outcome: "failed", error: { code: "HOOK_BAD_ANSWER" } });
  class Helper {
    response = "Hi.";
    help(): void {}
  }
  expect(await record(() => new Helper())).toMatchObject({ outcome: "modified", fields: ["response"] });
});

test("the event itself, and an object that inherits all from it, change nothing", async () => {
  expect(await record((event) => event)).toMatchObject({ outcome: "proceed" });
  expect(await record((event) => Object.create(event) as object)).toMatchObject({ outcome: "proceed" });
});

test("an accessor of a class that throws is a failure with the thrown value as cause", async () => {
  const thrown = new Error("lazy");
  class Lazy {
    get response(): string {
      throw thrown;
    }
  }
  const odd = await record(() => new Lazy());
  expect(odd).toMatchObject({ outcome: "failed", error: { code: "HOOK_FAILED" } });
  expect(odd?.error?.cause).toBe(thrown);
});
