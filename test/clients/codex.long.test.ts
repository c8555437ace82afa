// Codex against this server; tried with @openai/codex 0.169.0.
import { describe, expect, test } from "vitest";
import { cancel, type Message } from "../../src/index.js";
import type { HttpServer } from "../../src/server/index.js";
import { clients, openLarge, whySkipped } from "../support/integrations/clients.js";
import { runCodex } from "../support/integrations/codex.js";
import { tempDir } from "../support/engine.js";
import { openServer } from "../support/http/server.js";

interface Ended {
  readonly code: number | null;
  /** The last message of the model. */
  readonly answer: string;
  /** All that Codex says of its work. */
  readonly log: string;
}

async function run({ url }: HttpServer, prompt: string): Promise<Ended> {
  const home = await tempDir();
  const { code, stdout, stderr } = await runCodex({ home, url, model: "default" }, prompt);
  return { code, answer: stdout.trim(), log: stderr };
}

describe.skipIf(clients === undefined)(`codex exec${whySkipped}`, { timeout: 180_000 }, () => {
  test("it shows the answer and the reasoning", async () => {
    const { server } = await openLarge([{ reasoning: "Let me think.", text: "Hello from here." }]);
    const { code, answer, log } = await run(server, "Say hello");
    expect([code, answer]).toEqual([0, "Hello from here."]);
    expect(log).toContain("Let me think.");
  });

  test("it runs the calls of the model, and the results go back", async () => {
    const { server, engine } = await openLarge([
      {
        reasoning: "Let me see.",
        text: "I run it.",
        toolCalls: [{ name: "exec_command", args: { cmd: "echo out-$((40+2))" } }],
      },
      { toolCalls: [{ name: "mcp__w__weather", args: { city: "Oslo" } }] },
      "It is 42.",
    ]);
    let last: readonly Message[] = [];
    engine.hooks.on("preGenerate", ({ messages }) => void (last = messages));
    const { code, answer } = await run(server, "Run it");
    expect([code, answer]).toEqual([0, "It is 42."]);
    const [first, ran, second, asked] = last.slice(-4);
    expect(first).toMatchObject({ role: "assistant", content: "I run it.", reasoning: "Let me see." });
    expect(ran).toMatchObject({ role: "tool", toolName: "exec_command", toolCallId: first?.toolCalls?.[0]?.id });
    expect(ran?.content).toContain("out-42");
    expect(asked).toMatchObject({ role: "tool", toolName: "mcp__w__weather", toolCallId: second?.toolCalls?.[0]?.id });
    expect(asked?.content).toContain("3 degrees in Oslo");
  });

  test("it says that the conversation is too long for the model", async () => {
    const { server } = await openServer(["Hello."], {}, { contextSize: 2048 });
    const { code, log } = await run(server, "Say hello");
    expect(code).toBe(1);
    expect(log).toContain("ran out of room in the model's context window");
  });

  test("it shows the reason of a hook that refuses the call", async () => {
    const { server, engine } = await openServer();
    let calls = 0;
    engine.hooks.on("preGenerate", () => {
      calls += 1;
      return cancel("not on Sundays");
    });
    const { code, log } = await run(server, "Say hello");
    expect([code, calls]).toEqual([1, 1]);
    expect(log).toContain("not on Sundays");
  });

  test("it shows that a hook has ended the answer", async () => {
    const { server, engine } = await openLarge(["Hello there."]);
    let calls = 0;
    engine.hooks.on("postGenerate", () => {
      calls += 1;
      return { halt: "no greetings" };
    });
    const { code, log } = await run(server, "Say hello");
    expect([code, calls]).toEqual([1, 1]);
    expect(log).toContain("content_filter");
  });
});
