// The stores of examples/stores, with the clients that they are for, on real servers that the test starts. They are
// skipped where a server or a client is not installed: `npm install --no-save redis pg`.
import { execFileSync, spawn } from "node:child_process";
import { existsSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { chmod, mkdir } from "node:fs/promises";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { afterAll, expect, test } from "vitest";
import type { SessionStore } from "../../../src/index.js";
import { openEngine } from "../../support/engine.js";
import { asks, tools } from "../../support/sessions.js";
import { testStore } from "../../support/store-contract.js";

const examples = path.resolve("examples/stores");
const require = createRequire(path.join(examples, "redis-store.mjs"));
const ends: (() => unknown)[] = [];
afterAll(async () => {
  for (const end of ends.toReversed()) await end();
});

function found(name: string, folders: readonly string[]): string | undefined {
  return folders.map((folder) => path.join(folder, name)).find((file) => existsSync(file));
}

/** Undefined: it can be tested. */
function lacking(client: string, server: string, file: string | undefined): string | undefined {
  if (file === undefined) return `${server} is not installed`;
  try {
    require.resolve(client);
    return undefined;
  } catch {
    return `the package ${client} is not installed`;
  }
}

// The path of a socket is short, so this is not in the folder of the tests.
function folder(): string {
  const made = mkdtempSync(path.join(tmpdir(), "lh-"));
  ends.push(() => rmSync(made, { recursive: true, force: true }));
  return made;
}

/** Starts a server that runs until the tests have ended; resolves when `connect` does. */
async function started<T>(
  command: string,
  args: readonly string[],
  connect: () => Promise<T>,
  user?: number,
): Promise<T> {
  const server = spawn(command, args, { stdio: "ignore", ...(user !== undefined && { uid: user, gid: user }) });
  const ended = new Promise<never>((_, reject) => {
    server.on("error", reject).on("exit", (code) => reject(new Error(`${command} has ended with ${code}`)));
  });
  ended.catch(() => undefined);
  ends.push(
    () =>
      new Promise((resolve) => (server.exitCode === null ? server.once("exit", resolve).kill("SIGQUIT") : resolve(0))),
  );
  const connected = async (): Promise<T> => {
    for (;;) {
      try {
        return await connect();
      } catch {
        await new Promise((resolve) => setTimeout(resolve, 50)); // it does not listen yet
      }
    }
  };
  return Promise.race([connected(), ended]);
}

const load = async (file: string): Promise<Record<string, (...args: unknown[]) => unknown>> =>
  (await import(pathToFileURL(file).href)) as never;

const searched = (process.env["PATH"] ?? "").split(":");
const redisServer = found("redis-server", searched);
const noRedis = lacking("redis", "redis-server", redisServer);
let redis: Promise<() => Promise<SessionStore>> | undefined;

async function startRedis(): Promise<() => Promise<SessionStore>> {
  const { createClient } = require("redis") as {
    createClient(options: object): {
      connect(): Promise<unknown>;
      on(event: "error", then: () => void): unknown;
      destroy(): void;
    };
  };
  const { redisStore } = await load(path.join(examples, "redis-store.mjs"));
  const at = folder();
  const socket = { path: path.join(at, "redis"), reconnectStrategy: false };
  const connect = async (): Promise<SessionStore> => {
    const client = createClient({ socket });
    client.on("error", () => undefined);
    await client.connect();
    ends.push(() => client.destroy());
    return redisStore?.(client) as SessionStore;
  };
  const args = ["--port", "0", "--unixsocket", socket.path, "--dir", at, "--save", ""];
  await started(redisServer ?? "", args, connect);
  return connect;
}

const installed = existsSync("/usr/lib/postgresql")
  ? readdirSync("/usr/lib/postgresql").map((version) => `/usr/lib/postgresql/${version}/bin`)
  : [];
const postgresServer = found("postgres", [...installed, ...searched]);
const noPostgres = lacking("pg", "PostgreSQL", postgresServer);
let postgres: Promise<() => Promise<SessionStore>> | undefined;

async function startPostgres(): Promise<() => Promise<SessionStore>> {
  const { Pool } = require("pg") as {
    Pool: new (options: object) => { on(event: "error", then: () => void): unknown; end(): Promise<void> };
  };
  const { postgresStore } = await load(path.join(examples, "postgres-store.mjs"));
  const at = folder();
  // PostgreSQL does not run as root.
  const user =
    process.getuid?.() === 0 ? Number(execFileSync("id", ["-u", "nobody"], { encoding: "utf8" })) : undefined;
  const as = user === undefined ? {} : { uid: user, gid: user };
  await chmod(at, 0o777);
  await mkdir(path.join(at, "home"), { mode: 0o777 });
  const data = path.join(at, "data");
  const initdb = path.join(path.dirname(postgresServer ?? ""), "initdb");
  execFileSync(initdb, ["-D", data, "-A", "trust", "-U", "test", "--no-sync"], { stdio: "pipe", ...as });
  const connect = async (): Promise<SessionStore> => {
    const pool = new Pool({ host: at, user: "test", database: "postgres", max: 8 });
    pool.on("error", () => undefined);
    try {
      const store = (await postgresStore?.(pool)) as SessionStore;
      ends.push(() => pool.end());
      return store;
    } catch (error) {
      await pool.end();
      throw error;
    }
  };
  await started(postgresServer ?? "", ["-D", data, "-k", at, "-c", "listen_addresses="], connect, user);
  return connect;
}

const openRedis = async (): Promise<SessionStore> => (await (redis ??= startRedis()))();
const openPostgres = async (): Promise<SessionStore> => (await (postgres ??= startPostgres()))();
testStore("the example for Redis", openRedis, noRedis);
testStore("the example for PostgreSQL", openPostgres, noPostgres);

test.skipIf(noRedis !== undefined && noPostgres !== undefined)(
  "sessions are saved in Redis and PostgreSQL, and go on from there",
  async () => {
    for (const [open, skip] of [
      [openRedis, noRedis],
      [openPostgres, noPostgres],
    ] as const) {
      if (skip !== undefined) continue;
      const script = [asks("Oslo"), "Cold.", "Still cold."];
      const engine = await openEngine(script, { sessionStore: await open() });
      const session = await engine.sessions.open({
        id: "a",
        tools,
        temperature: 0,
        tags: { user: "ada" },
        autosave: true,
      });
      await session.run("How is Oslo?");
      await engine.close();
      const other = await openEngine(script, { sessionStore: await open() });
      expect(await other.sessions.list({ tags: { user: "ada" } })).toMatchObject([{ id: "a", messages: 4 }]);
      expect((await (await other.sessions.resume("a", { tools, temperature: 0 })).run("And now?")).text).toBe(
        "Still cold.",
      );
    }
  },
);
