// The Next.js example, installed, built and started as its users do.
import path from "node:path";
import { describe, expect, test } from "vitest";
import { clients, start, whySkipped } from "../support/integrations/clients.js";
import { eventsOf } from "../support/http/server.js";

const cwd = path.join(clients ?? "", "nextjs");
const next = path.join("nextjs", "node_modules", ".bin", "next");
const env = { NEXT_TELEMETRY_DISABLED: "1" };

/** Resolves with the address of the example, which ends with the test. */
async function started(): Promise<string> {
  const built = await start(next, ["build"], { cwd, env }).ended;
  if (built.code !== 0) throw new Error(`next build: ${built.stdout}${built.stderr}`);
  return new Promise((resolve, reject) => {
    const onOutput = (stdout: string): void => {
      const [url] = /http:\/\/127\.0\.0\.1:\d+/.exec(stdout) ?? [];
      if (url !== undefined && stdout.includes("Ready")) resolve(url);
    };
    const { ended } = start(next, ["start", "--hostname", "127.0.0.1", "--port", "0"], { cwd, env, onOutput });
    void ended.then(({ stdout, stderr }) => reject(new Error(`next start: ${stdout}${stderr}`)));
  });
}

interface Part {
  readonly type: string;
  readonly delta?: string;
  readonly messageMetadata?: unknown;
}

describe.skipIf(clients === undefined)(`the Next.js example${whySkipped}`, { timeout: 300_000 }, () => {
  test("its route streams answers and vetoes for useChat(), and /v1 answers clients of OpenAI", async () => {
    const url = await started();
    const post = (where: string, body: unknown): Promise<Response> =>
      fetch(`${url}${where}`, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify(body),
      });
    const partsFor = async (text: string): Promise<Part[]> => {
      const messages = [{ id: "1", role: "user", parts: [{ type: "text", text }] }];
      const answer = await (await post("/api/chat", { messages })).text();
      return eventsOf(answer).map(({ data }) => data as Part);
    };

    const deltas = (await partsFor("What is 12 * 7?")).filter(({ type }) => type === "text-delta");
    expect(deltas.length).toBeGreaterThan(3);
    expect(deltas.map(({ delta }) => delta).join("")).toBe("I have no tool for calculations.");

    const refused = await partsFor("My password is hunter2.");
    const veto = { by: "no-passwords", reason: "passwords stay here" };
    expect(refused).toContainEqual({ type: "message-metadata", messageMetadata: { veto } });
    expect(refused).toContainEqual({ type: "finish", finishReason: "content-filter" });

    const chat = (content: string): unknown => ({ model: "default", messages: [{ role: "user", content }] });
    const answered = await post("/v1/chat/completions", { ...(chat("What is 12 * 7?") as object), temperature: 0 });
    expect(await answered.json()).toMatchObject({
      choices: [{ message: { content: "I have no tool for calculations." } }],
    });
    const vetoed = await post("/v1/chat/completions", chat("My password is hunter2."));
    expect([vetoed.status, await vetoed.json()]).toMatchObject([403, { error: { message: "passwords stay here" } }]);

    const page = await fetch(url);
    expect([page.status, await page.text()]).toEqual([200, expect.stringContaining("<title>A local model</title>")]);
  });
});
