// Claude Code against this server; tried with @anthropic-ai/claude-code 2.1.332.
import { describe, expect, test } from "vitest";
import { cancel, type Message } from "../../src/index.js";
import type { HttpServer } from "../../src/server/index.js";
import {
  clients,
  type Ended,
  killedWhileAnswered,
  openLarge,
  type Program,
  startAgent,
  whySkipped,
} from "../support/integrations/clients.js";
import { tempDir } from "../support/engine.js";

async function open({ origin }: HttpServer, prompt: string): Promise<Program> {
  const env = {
    ANTHROPIC_BASE_URL: origin,
    ANTHROPIC_API_KEY: "none",
    ANTHROPIC_MODEL: "default",
    ANTHROPIC_SMALL_FAST_MODEL: "default",
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
    CLAUDE_CODE_MAX_RETRIES: "0",
  };
  const format = ["--output-format", "stream-json", "--verbose", "--allowedTools", "Bash(echo *)"];
  return startAgent("claude", ["-p", prompt, ...format], { home: await tempDir(), env });
}

const run = async (server: HttpServer, prompt: string): Promise<Ended> => (await open(server, prompt)).ended;

interface Block {
  readonly type: string;
  readonly [name: string]: unknown;
}

/** The blocks of messages of this role. */
function blocks({ stdout }: Ended, role: "assistant" | "user"): Block[] {
  const lines = stdout.split("\n").filter((line) => line.startsWith("{"));
  const events = lines.map((line) => JSON.parse(line) as { type: string; message?: { content: Block[] } });
  return events.filter(({ type }) => type === role).flatMap(({ message }) => message?.content ?? []);
}

describe.skipIf(clients === undefined)(`claude -p${whySkipped}`, { timeout: 180_000 }, () => {
  test("it shows the answer", async () => {
    const { server } = await openLarge(["Hello from here."]);
    const ended = await run(server, "Say hello");
    expect(ended.code).toBe(0);
    expect(blocks(ended, "assistant")).toMatchObject([{ type: "text", text: "Hello from here." }]);
  });

  test("it shows the reasoning, runs the calls of the model, and the results go back", async () => {
    const { server, engine } = await openLarge([
      {
        reasoning: "Let me see.",
        text: "I run it.",
        toolCalls: [{ name: "Bash", args: { command: "echo out-$((40+2))", description: "echo" } }],
      },
      "It is 42.",
    ]);
    let last: readonly Message[] = [];
    engine.hooks.on("preGenerate", ({ messages }) => void (last = messages));
    const ended = await run(server, "Run it");
    expect(blocks(ended, "assistant")).toMatchObject([
      { type: "thinking", thinking: "Let me see." },
      { type: "text", text: "I run it." },
      { type: "tool_use", name: "Bash" },
      { type: "text", text: "It is 42." },
    ]);
    expect(blocks(ended, "user")).toMatchObject([{ type: "tool_result", content: "out-42", is_error: false }]);
    const [call, result] = last.slice(-2);
    expect(result).toMatchObject({ role: "tool", content: "out-42", toolCallId: call?.toolCalls?.[0]?.id });
  });

  test("it shows the reason of a hook that refuses the call", async () => {
    const { server, engine } = await openLarge(["Hello."]);
    engine.hooks.on("preGenerate", () => cancel("not on Sundays"));
    const { code, stdout } = await run(server, "Say hello");
    expect(code).not.toBe(0);
    expect(stdout).toContain("not on Sundays");
  });

  test("it shows the reason of a hook that ends the answer", async () => {
    const { server, engine } = await openLarge(["Hello there."]);
    engine.hooks.on("postGenerate", () => ({ halt: "no greetings" }));
    const { stdout } = await run(server, "Say hello");
    expect(stdout).toContain("no greetings");
  });

  test("its end in the middle of an answer cancels the call", async () => {
    expect(await killedWhileAnswered(open)).toBe("cancelled");
  });
});
