// A secret that a postToolCall hook masks is nowhere afterwards: test/fixtures/redaction.mjs runs sessions whose tools give it
// away, and everything that this program has written is searched for it. The same program without that hook shows the
// secret in each place that had "[masked]": what records nothing proves nothing.
import { spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect, test } from "vitest";

const program = fileURLToPath(new URL("../fixtures/redaction.mjs", import.meta.url));
const mask = "[masked]";
const secret = `key-${randomBytes(20).toString("hex")}`;
/** Half of it is a leak, too. */
const parts = [secret.slice(0, 16), secret.slice(-16)];

/** The text that was written at each place: `<scene>/<what>`. The scene "engine" holds text of no scene. */
type Places = ReadonlyMap<string, string>;
let masked: Places;
let open: Places;

const atExit: (() => unknown)[] = [];
afterAll(() => Promise.all(atExit.map((end) => end())));

// Nobody waits that long; a program that hangs ends the tests all the same.
const forever = 600_000;
beforeAll(async () => {
  masked = await written(true);
  open = await written(false);
}, forever);

/** Runs the program in a separate folder, which is also its home and where it puts temporary files. */
async function written(masks: boolean): Promise<Places> {
  const folder = await mkdtemp(path.join(tmpdir(), "llama-hooks-test-"));
  atExit.push(() => rm(folder, { recursive: true, force: true }));
  const env = { ...process.env, HOME: folder, TMPDIR: folder, TMP: folder, TEMP: folder };
  const child = spawn(process.execPath, [program], { cwd: folder, env });
  atExit.push(() => child.kill("SIGKILL"));
  const out: Buffer[] = [];
  const log: Buffer[] = [];
  child.stdout.on("data", (bytes: Buffer) => out.push(bytes));
  child.stderr.on("data", (bytes: Buffer) => log.push(bytes));
  child.stdin.end(JSON.stringify({ secret, masks }));
  const code = await new Promise((resolve, reject) => child.on("error", reject).on("close", resolve));
  const stderr = Buffer.concat(log).toString("latin1");
  if (code !== 0) throw new Error(`the program ended with ${String(code)}: ${stderr.slice(-2000)}`);

  const places = new Map<string, string>([["engine/stderr", stderr]]);
  const add = (place: string, text: string): unknown => places.set(place, (places.get(place) ?? "") + text);
  for (const line of Buffer.concat(out).toString("latin1").trim().split("\n"))
    add((JSON.parse(line) as { channel: string }).channel, line);
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    const file = path.join(entry.parentPath, entry.name);
    const where = path.relative(folder, file).split(path.sep);
    // Those that are saved at a point, again and again, have a number behind its name.
    const name = where.splice(-1)[0]?.replace(/ \d+\.json$/, "") ?? "";
    add(`${where.join("/") || "engine"}/file ${name}`, file);
    if (entry.isFile()) add(`${where.join("/") || "engine"}/file ${name}`, await readFile(file, "latin1"));
  }
  return places;
}

/** The places of a scene whose text contains any of the texts, in order. */
function having(places: Places, scene: string, texts: readonly string[]): string[] {
  return [...places]
    .filter(([place, text]) => place.startsWith(`${scene}/`) && texts.some((one) => text.includes(one)))
    .map(([place]) => place.slice(scene.length + 1))
    .sort();
}

/** Without what observers saw: the engine's close does not wait for them. */
const watched = (places: readonly string[]): string[] => places.filter((place) => !place.startsWith("observer "));

const after = ["hook error", "hook toolResultPersist", "hook postToolCall", "hook sessionEnd", "events", "trace"];
const kept = [
  "history",
  "everything",
  "file saved.json",
  "file forked.json",
  "file restored.json",
  "hook sessionStart",
];
const meanwhile = ["file iterationEnd", "file loopEnd"];
const prompts = ["hook contextAssemble", "hook preGenerate"];
const said = ["stream", "result", "hook iterationEnd", "hook loopEnd"];
const usual = [...after, ...kept, ...meanwhile, ...prompts, ...said];
const again = ["hook postGenerate", "file toolResultPersist"];
const delegated = [...usual, "hook delegateComplete", "file toolResultPersist"];

/** The places that show the secret without the masking hook, and a text that the scene must contain with it. */
const scenes: Readonly<Record<string, readonly [places: readonly string[], text?: string]>> = {
  plain: [usual],
  kinds: [[...usual, ...again], '{\\"key\\":\\"[masked]\\",\\"nested\\":[{\\"key\\":\\"[masked]\\"}]}'],
  atOnce: [usual],
  duplicate: [[...usual, ...again], "already called with the same arguments; its result was: the key is [masked]"],
  long: [[...usual, ...again], "context_inspect gives the rest"],
  cut: [[...usual, ...again], "[it goes on at the offset"],
  throws: [[...usual, ...again], "error: no access with [masked]"],
  late: [[], "timed out after 1 ms"],
  delegated: [delegated, "the key is [masked]\\n[conversation coder-1]"],
  resumed: [[...delegated, ...again], "Say it again.\\n[conversation coder-1]"],
  pipeline: [[...delegated, ...again, "hook delegate", "hook loopStart"], "[output of coder]\\nI was told:"],
  directed: [[...delegated, "hook directive"], "[masked]\\n[delegate: I was told:"],
  planned: [
    [...delegated, "hook delegate", "hook preToolCall", "hook permissionCheck", "hook toolValidation"],
    "Work with the key is [masked] [masked].",
  ],
  plans: [[...usual, "hook preToolCall"], "plan succeeded: 2 of 2 steps\\n[key: done]\\nthe key is [masked]"],
  completes: [[...after, ...kept, ...meanwhile, ...prompts, "result", "hook complete"], "completed"],
  reflects: [[...usual, ...again, "hook reflection"], "PROCEED"],
  pruned: [[...usual, ...again], "results shortened: 1"],
  restored: [[...usual, ...again, "hook loopStart"], "compactionMiss"],
  compacted: [[...usual, "hook preCompact", "hook postCompact"], "[summary of earlier messages]\\nI was told:"],
  overflows: [[...after, ...kept, ...meanwhile, "hook contextAssemble", "error"], "INJECTION_OVERFLOW"],
  stopped: [[...after, ...kept, ...meanwhile, "result"], "enough"],
  closed: [[...after, "result"], "closed, [masked]"],
  engine: [["stderr", "trace"]],
};

test.each(Object.keys(scenes))("%s: what was masked is nowhere", (scene) => {
  expect(having(masked, scene, parts)).toEqual([]);
});

test.each(Object.entries(scenes))("%s: it would be seen", (scene, [places, text = ""]) => {
  const seen = watched(having(open, scene, [secret, ...parts]));
  expect(seen).toEqual(expect.arrayContaining([...places]));
  const all = [...masked].filter(([place]) => place.startsWith(`${scene}/`)).map(([, one]) => one);
  expect(all.filter((one) => one.includes(text)).length).toBeGreaterThan(0);
  // Timing decides how far a run gets while the engine closes.
  if (scene === "closed") return;
  expect(watched(having(masked, scene, [mask, ...parts]))).toEqual(seen);
});

test("observers would see it, and every scene is looked at", () => {
  const observed = [...new Set(Object.keys(scenes).flatMap((scene) => having(open, scene, [secret])))];
  for (const point of ["postToolCall", "toolResultPersist", "error", "preGenerate", "loopEnd", "delegateComplete"])
    expect(observed).toContain(`observer ${point}`);
  expect([...new Set([...open.keys()].map((place) => place.split("/")[0]))].sort()).toEqual(Object.keys(scenes).sort());
});
