// opencode against this server, with a provider of @ai-sdk/openai-compatible; tried with opencode-ai 1.18.33.
import { writeFile } from "node:fs/promises";
import path from "node:path";
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

async function open({ url }: HttpServer, prompt: string): Promise<Program> {
  const home = await tempDir();
  const options = { baseURL: url, apiKey: "none" };
  const models = { default: { name: "default", limit: { context: 65_536, output: 1024 } } };
  const config = {
    provider: { "llama-hooks": { npm: "@ai-sdk/openai-compatible", name: "llama-hooks", options, models } },
    model: "llama-hooks/default",
    small_model: "llama-hooks/default",
    agent: { title: { disable: true } }, // would take the first answer of the script
    autoupdate: false,
    share: "disabled",
  };
  await writeFile(path.join(home, "opencode.json"), JSON.stringify(config));
  return startAgent("opencode", ["run", "--format", "json", prompt], { home });
}

const run = async (server: HttpServer, prompt: string): Promise<Ended> => (await open(server, prompt)).ended;

/** The parts of one kind that opencode tells of. */
function parts({ stdout }: Ended, type: string): Record<string, unknown>[] {
  const events = stdout
    .split("\n")
    .filter((line) => line.startsWith("{"))
    .map((line) => JSON.parse(line) as { type: string; part?: Record<string, unknown> });
  return events.filter((event) => event.type === type).map((event) => event.part ?? event);
}

describe.skipIf(clients === undefined)(`opencode run${whySkipped}`, { timeout: 180_000 }, () => {
  test("it shows the answer", async () => {
    const { server } = await openLarge(["Hello from here."]);
    const ended = await run(server, "Say hello");
    expect(ended).toMatchObject({ code: 0 });
    expect(parts(ended, "text")).toMatchObject([{ text: "Hello from here." }]);
    expect(parts(ended, "step_finish")).toMatchObject([{ reason: "stop", tokens: { output: expect.any(Number) } }]);
  });

  test("it runs the calls of the model, and the results go back", async () => {
    const { server, engine } = await openLarge([
      {
        reasoning: "Let me see.",
        text: "I run it.",
        toolCalls: [{ name: "bash", args: { command: "echo out-$((40+2))" } }],
      },
      "It is 42.",
    ]);
    let last: readonly Message[] = [];
    engine.hooks.on("preGenerate", ({ messages }) => void (last = messages));
    const ended = await run(server, "Run it");
    expect(parts(ended, "text")).toMatchObject([{ text: "I run it." }, { text: "It is 42." }]);
    expect(parts(ended, "tool_use")).toMatchObject([{ tool: "bash", state: { status: "completed" } }]);
    const [call, result] = last.slice(-2);
    expect(call).toMatchObject({ role: "assistant", content: "I run it." });
    expect(result).toMatchObject({ role: "tool", toolCallId: call?.toolCalls?.[0]?.id });
    expect(result?.content).toContain("out-42");
    const [, second] = parts(ended, "step_finish") as { tokens: { cache: { read: number } } }[];
    expect(second?.tokens.cache.read).toBeGreaterThan(20_000); // the prompt of the first call
  });

  test("it shows the reason of a hook that refuses the call, and tries it once", async () => {
    const { server, engine } = await openLarge(["Hello."]);
    let calls = 0;
    engine.hooks.on("preGenerate", () => {
      calls += 1;
      return cancel("not on Sundays");
    });
    const ended = await run(server, "Say hello");
    expect(calls).toBe(1);
    expect(ended.stdout).toContain("not on Sundays");
  });

  test("its end in the middle of an answer cancels the call", async () => {
    expect(await killedWhileAnswered(open)).toBe("cancelled");
  });
});
