// Downloads that wait: for a server that is busy, and for the lock of a process that died. Here a second lasts 50 ms.
import { expect, test, vi } from "vitest";
import { downloadModel, removeCachedModel } from "../../src/index.js";
import { start } from "../fixtures/child.js";
import { gguf, MiB, name, setUp, sha256 } from "../support/downloads.js";
import { rejection } from "../support/engine.js";

vi.mock("node:timers/promises", () => import("../support/fast-clock.js"));

test("a process killed in the middle leaves what came, and the next one continues with it", async () => {
  const file = gguf(20 * MiB);
  const { hub, cacheFolder, seen, options } = await setUp({ "model-Q4_K_M.gguf": file });
  hub.misbehave({ pauseMs: 10 });
  const child = start(process.execPath, [
    "--input-type=module",
    "--eval",
    `import { downloadModel } from "llama-hooks";
    await downloadModel(${JSON.stringify(name)}, {
      ...${JSON.stringify({ cacheFolder, endpoint: hub.endpoint })},
      onProgress: ({ receivedBytes }) => receivedBytes > ${2 * MiB} && console.log("some"),
    });`,
  ]);
  await child.said("some");
  child.process.kill("SIGKILL");
  await child.ended;
  hub.misbehave({});
  // The lock of the dead is taken over when it has not been touched for 15 seconds.
  const model = await downloadModel(name, options);
  expect(model.files[0]?.sha256).toBe(sha256(file));
  expect(hub.asked).toEqual(["all", expect.stringMatching(/^bytes=\d{7,}-$/)]);
  expect(seen.at(-1)?.resumedBytes).toBeGreaterThan(2 * MiB);
}, 90_000);

test("a busy server is asked again; one that stays so is named with how often", async () => {
  const file = gguf(MiB);
  const { hub, cacheFolder, seen, options } = await setUp({ "model-Q4_K_M.gguf": file });
  hub.misbehave({ status: (request: number) => [503, 429][request] });
  expect((await downloadModel(name, options)).size).toBe(MiB);
  expect(seen.at(-1)?.interruptions).toBe(2);
  await removeCachedModel(name, { cacheFolder });
  hub.misbehave({ status: () => 500 });
  expect(await rejection(downloadModel(name, options))).toMatchObject({
    code: "DOWNLOAD_FAILED",
    message: expect.stringMatching(
      /^hf:user\/repo:Q4_K_M could not be downloaded: http.*model-Q4_K_M\.gguf answered 500 Internal Server Error, 6 times in a row$/,
    ) as string,
  });
}, 60_000);

test.each([
  ["in seconds", () => "2", 2000],
  ["as a date", () => new Date(Date.now() + 3000).toUTCString(), 2000], // which has whole seconds
])(
  "a server that says %s when to come again is not asked before, for a list of files either",
  async (_, retryAfter, ms) => {
    const { hub, seen, options } = await setUp({ "model-Q4_K_M.gguf": gguf(MiB) });
    const once = (request: number): number | undefined => (request === 0 ? 429 : undefined);
    hub.misbehave({ status: once, listStatus: (list) => (list === 0 ? 503 : undefined), retryAfter });
    const began = performance.now();
    await downloadModel(name, options);
    expect(performance.now() - began).toBeGreaterThan(2 * ms - 100);
    expect([hub.lists(), hub.asked.length, seen.at(-1)?.interruptions]).toEqual([2, 2, 1]);
  },
  60_000,
);

test("a wait that is too long, and a list that never comes, are errors with the status", async () => {
  const { hub, options } = await setUp({ "model-Q4_K_M.gguf": gguf(MiB) });
  hub.misbehave({ status: () => 429, retryAfter: () => "3600" });
  expect(await rejection(downloadModel(name, options))).toMatchObject({
    code: "DOWNLOAD_FAILED",
    message: expect.stringMatching(/answered 429 and asks to wait 3600 s: try again then$/),
    details: { status: 429 },
  });
  expect(hub.asked).toHaveLength(1);
  for (const retryAfter of ["-1", "soon", "", new Date(0).toUTCString()]) {
    hub.misbehave({ status: (request) => (request < 2 ? 503 : undefined), retryAfter: () => retryAfter });
    hub.asked.length = 0;
    expect((await downloadModel(`${hub.endpoint}/files/model-Q4_K_M.gguf?${retryAfter}`, options)).size).toBe(MiB);
  }
  hub.misbehave({ listStatus: () => 503 });
  expect(await rejection(downloadModel("hf:user/repo", options))).toMatchObject({
    message: expect.stringMatching(/tree\/main answered 503 Service Unavailable, 6 times in a row$/),
    details: { status: 503 },
  });
}, 60_000);

test("a server without ranges that cuts here and there is given up", async () => {
  const { hub, options } = await setUp({ "model-Q4_K_M.gguf": gguf(6 * MiB) });
  hub.misbehave({ noRanges: true, cutAfter: (request) => (request % 2 === 0 ? 3 * MiB : MiB) });
  expect(await rejection(downloadModel(name, options))).toMatchObject({ code: "DOWNLOAD_FAILED" });
  expect(hub.asked.length).toBeLessThan(20);
}, 60_000);
