// Paths that are not regular files: each is refused with a code, nothing waits, and this process can exit.
import { spawnSync } from "node:child_process";
import { constants, openSync } from "node:fs";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { Socket } from "node:net";
import path from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { createEngine, readRecording } from "../../src/index.js";
import { inspectFiles } from "../../src/inspector/index.js";
import { audit } from "../../src/ready-hooks/index.js";
import { openEngine, rejection, tempDir } from "../support/engine.js";
import { calls } from "../support/sessions.js";

const isWindows = process.platform === "win32";

test.skipIf(isWindows)("a pipe in place of a file is refused wherever a file is named", async () => {
  const folder = await tempDir();
  const pipe = path.join(folder, "pipe.gguf");
  spawnSync("mkfifo", [pipe]);
  const engine = await openEngine(["Hi."]);
  const session = engine.session();
  const works: Record<string, () => unknown> = {
    "NOT_FOUND recording": () => readRecording(pipe),
    "NOT_FOUND inspected": () => inspectFiles([pipe]),
    "MODEL_FILE_NOT_FOUND model": () => createEngine({ model: pipe }),
    "MODEL_FILE_NOT_FOUND load": () => engine.models.load("m", { path: pipe }),
    "NOT_FOUND restored": async () => engine.restoreSession(pipe),
    "INVALID_ARGUMENT saved": () => session.save(pipe),
    "LIBRARY_NOT_LOADED native": async () => engine.hooks.addNative({ library: pipe, symbol: "f", point: "loopStart" }),
    "LIBRARY_NOT_LOADED plug-in": async () => engine.hooks.addNative({ library: pipe }),
  };
  const errors: string[] = [];
  for (const [name, work] of Object.entries(works)) {
    const error = (await rejection((async () => work())())) as { readonly code?: string };
    errors.push(`${error.code} ${name.replace(/^\S+ /, "")}`);
  }
  expect(errors).toEqual(Object.keys(works));
  await engine.close();
});

test.skipIf(process.platform !== "linux")("files of the system without an end or a size are refused", async () => {
  for (const file of ["/proc/self/mem", "/proc/self/pagemap", "/dev/zero", "/proc/self/status"]) {
    expect(await rejection(inspectFiles([file]))).toMatchObject({ code: "NOT_FOUND" });
    expect(await rejection(readRecording(file))).toMatchObject({ code: "NOT_FOUND" });
  }
});

test.skipIf(isWindows)("audit() refuses a pipe without a reader, and the run ends", async () => {
  const pipe = path.join(await tempDir(), "pipe");
  spawnSync("mkfifo", [pipe]);
  const engine = await openEngine(["Hi."]);
  engine.hooks.use(audit(pipe));
  const errors: string[] = [];
  engine.hooks.on("error", ({ message }) => void errors.push(message));
  const result = await engine.session().run("hello");
  expect(result.finishReason).not.toBe("complete");
  expect(errors.join()).toContain("ENXIO");
  await engine.close();
});

/** Reads a new pipe until the last of its writers has closed it; with `stays`, until the test ends. */
async function readPipe({
  stays,
}: {
  stays: boolean;
}): Promise<{ pipe: string; said: (text: string) => Promise<string> }> {
  const pipe = path.join(await tempDir(), "pipe");
  spawnSync("mkfifo", [pipe]);
  const flags = stays ? constants.O_RDWR : constants.O_RDONLY; // whoever may write to it sees no end
  const reader = new Socket({ fd: openSync(pipe, flags | constants.O_NONBLOCK), readable: true, writable: false });
  onTestFinished(() => void reader.destroy());
  let read = "";
  reader.setEncoding("utf8").on("data", (part) => (read += part));
  const said = (text: string): Promise<string> =>
    new Promise((resolve, reject) => {
      const look = (): void => void (read.includes(text) && resolve(read));
      reader.on("data", look).on("close", () => reject(new Error(`it ended, and had ${JSON.stringify(read)}`)));
      look();
    });
  return { pipe, said };
}

test.skipIf(isWindows)("audit() writes lines into a pipe that are longer than what the pipe holds", async () => {
  const { pipe, said } = await readPipe({ stays: true });
  const engine = await openEngine([calls("long"), "Done."]);
  engine.hooks.use(audit(pipe));
  const long = { name: "long", run: () => "long ".repeat(60_000) };
  const all = said('"finalState":"COMPLETE"');
  const result = await engine.session({ tools: [long], temperature: 0 }).run("hello");
  expect(result.finishReason).toBe("complete");
  const lines = (await all)
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line) as { result?: string });
  expect(lines.filter((line) => line.result?.length === 300_000)).toHaveLength(1);
});

test.skipIf(isWindows)("a reader that leaves at the end of a line has the line, and keeps no other", async () => {
  const { pipe, said } = await readPipe({ stays: false });
  const engine = await openEngine(["Hi."]);
  engine.hooks.use(audit(pipe, { failClosed: false }));
  const line = said("\n");
  expect((await engine.session().run("hello")).finishReason).toBe("complete");
  expect(JSON.parse((await line).split("\n")[0] ?? "")).toMatchObject({ content: "hello" });
  await engine.close();
});

test.skipIf(isWindows)("a pipe that a command reads ends at its bounds, whoever writes to it", async () => {
  const { textOfPipe } = await import("../../src/base/files/text-of-pipe.js");
  const folder = await tempDir();
  const pipe = path.join(folder, "pipe");
  spawnSync("mkfifo", [pipe]);
  const bounds = { mostBytes: 100_000, mostMs: 3_600_000 };
  const late = rejection(textOfPipe(pipe, { ...bounds, mostMs: 1 })); // without a writer
  expect(await late).toMatchObject({ message: "its writer has not closed it in 1 ms" });
  const cancel = new AbortController();
  const read = rejection(textOfPipe(pipe, { ...bounds, signal: cancel.signal }));
  cancel.abort(new Error("enough"));
  expect(await read).toMatchObject({ message: "enough" });
  const whole = textOfPipe(pipe, bounds);
  await writeFile(pipe, "é".repeat(50_000));
  expect(await whole).toBe("é".repeat(50_000));
  const long = rejection(textOfPipe(pipe, bounds));
  await rejection(writeFile(pipe, "x".repeat(400_000))); // EPIPE
  expect(await long).toMatchObject({ message: "it has more than 100000 bytes" });
  for (const other of [folder, path.join(folder, "none")]) expect(await textOfPipe(other, bounds)).toBeUndefined();
});

test("a file whose name is as long as names may be is written", async () => {
  const folder = await tempDir();
  await mkdir(path.join(folder, "in"));
  const file = path.join(folder, "in", `${"é".repeat(125)}.json`);
  await writeFile(file, "old");
  const { writeFileAtomically } = await import("../../src/base/files/atomic-write.js");
  await writeFileAtomically(file, "new");
  expect(await readFile(file, "utf8")).toBe("new");
});
