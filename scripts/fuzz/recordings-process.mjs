// Tries recordings that somebody has changed: each is replayed, or refused with its code. Arguments: the file to write
// each input to, seconds, inputs (0: no limit), seed; or one input to try again.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createEngine, LlamaHooksError, readRecording, recordRun, tool } from "../../dist/index.js";
import { replayRun, writeScriptModel } from "../../dist/testing/index.js";
import { changed, randomOf } from "./json-mutator.mjs";

const allowed = ["RECORDING_INVALID", "REPLAY_FAILED"];
const replayedEvery = 8; // a replay takes a hundred times as long as a look

/** The text of a recording with a tool call, a tier, phases and a plan. */
async function seedText(folder) {
  const model = join(folder, "script.gguf");
  const replies = [{ toolCalls: [{ name: "weather", args: { city: "Oslo" } }] }, "It is cold.", "Planned."];
  await writeScriptModel(model, { replies, scripts: [{ when: "You are coder.", replies: ["Written."] }] });
  const engine = await createEngine({ model, threads: 1, gpu: false });
  const weather = tool({
    name: "weather",
    description: "Tells the weather.",
    parameters: { type: "object", properties: { city: { type: "string" } }, required: ["city"] },
    run: () => "cold",
  });
  const session = engine.session({
    tools: [weather],
    tier: "lead",
    tiers: { lead: { tools: ["weather"] }, coder: { system: "You are coder.", temperature: 0 } },
    permissions: [{ deny: "clock", when: { "args.a": "b*" } }, { allow: "*" }],
    phases: { calm: { temperature: 0.5 } },
    history: [{ role: "user", content: "Hi" }],
  });
  const file = join(folder, "recording.json");
  const recorder = recordRun(session);
  await session.run("Go");
  await session.run("Go on", { plan: { flow: "sequence", steps: [{ tier: "coder", task: "Write." }] } });
  await recorder.save(file);
  await engine.close();
  return readFileSync(file, "utf8");
}

/** Throws every error that is not an ordinary refusal. */
async function tryOne(file, replay) {
  try {
    await readRecording(file);
    if (replay) await replayRun(file);
  } catch (error) {
    if (!(error instanceof LlamaHooksError) || !allowed.includes(error.code)) throw error;
    if (error.message.includes(file)) return;
    throw new Error(`the message does not name the file: ${error.message}`, { cause: error });
  }
}

async function fuzz(file, seconds, most, seed) {
  const folder = mkdtempSync(join(tmpdir(), "lh-fuzz-"));
  try {
    const texts = [await seedText(folder)];
    const random = randomOf(seed);
    const end = seconds > 0 ? Date.now() + seconds * 1000 : Infinity;
    const last = most > 0 ? most : Infinity;
    for (let inputs = 1; Date.now() < end && inputs <= last; inputs++) {
      const text = changed(texts[random(texts.length)], random);
      writeFileSync(file, text);
      if (inputs % 16 === 1) process.send({ inputs, rssMb: Math.round(process.memoryUsage().rss / 1e6) });
      await tryOne(file, inputs % replayedEvery === 0);
      // An input that can be read is changed further.
      if (
        random(4) === 0 &&
        text.length < 20_000 &&
        (await readRecording(file).then(
          () => true,
          () => false,
        ))
      ) {
        if (texts.length < 200) texts.push(text);
        else texts[1 + random(texts.length - 1)] = text;
      }
      if (inputs === last) process.send({ inputs, rssMb: 0 });
    }
    rmSync(file, { force: true });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

const [file, seconds, most, seed] = process.argv.slice(2);
if (seconds === undefined) await tryOne(file, true);
else await fuzz(file, Number(seconds), Number(most), Number(seed));
process.disconnect?.();
