// What makes a conversation one of an agent: another agent that does a task, the end of the work, questions about the work.

import { delegation, task } from "./questions.mjs";
import { ofSplit, syllables } from "./random.mjs";
import { troubled } from "./subjects.mjs";
import { TIERS } from "./words.mjs";

const fill = (phrase, values) => phrase.replace(/\{(\w)\}/g, (_, key) => values[key]);

// A task for another agent, around what it is about; the result is what a tier of the engine gives.
export function makeDelegation(random, heldOut, kind, about, fragment, agent, todo) {
  // Trained on more invented names than it is marked by: those are what it copies wrong.
  const known = heldOut ? 0.7 : 0.4;
  const tier = agent ?? ofSplit(heldOut, () => (random.chance(known) ? random.pick(TIERS) : syllables(random, 1, 2)));
  const phrase = random.pick(delegation[heldOut === "all" && random.chance(0.5) ? "heldOut" : "train"]);
  const wanted = fill(todo ?? (phrase.includes("{b}") ? fragment : random.pick(task[kind])), { x: about.spoken });
  const spoken = fill(phrase, { t: random.chance(0.7) ? `the ${tier}` : tier, v: wanted, b: wanted });
  const subject = {
    tool: "delegate",
    outcome: "ok",
    spoken,
    args: { tier, task: wanted },
    result: `${about.answer}\n[conversation ${tier}-${random.between(1, random.pick([1, 2, 9]))}]`,
    answer: `The ${tier} says: ${about.answer}`,
    facts: [tier, ...about.facts],
    about: `ask the ${tier}`,
  };
  return troubled(random, subject, "The " + tier + " could not do it");
}

// What the work came to, with where each fact is from.
const cited = (subjects, answers) =>
  answers.map((answer, i) =>
    subjects[i].called ? `${answer} (${subjects[i].args.tier ?? subjects[i].tool})` : answer,
  );

const COMPLAINTS = [
  "name your sources",
  "name your source",
  "say where this is from",
  "no source",
  "which tool said so?",
  "cite the tools",
  "where is this from?",
  "every fact needs a source",
];

// Ends the work by the tool `complete`. A completion that is sent back is made again, with sources; one that is sent back
// twice is given up.
export function completeWork(random, conversation, turn, invented) {
  const { messages } = conversation;
  const say = (summary, result) => {
    const id = `call_${messages.length}`;
    messages.push(
      { role: "assistant", content: "", toolCalls: [{ id, name: "complete", args: { summary } }] },
      { role: "tool", content: result, toolCallId: id, toolName: "complete" },
    );
  };
  const complain = (summary) => {
    const reason = random.chance(0.7) ? random.pick(COMPLAINTS) : invented();
    say(summary, `rejected: ${reason}`);
    messages.push({ role: "user", content: `[CITATION VALIDATION] ${reason}` });
    return reason;
  };
  turn.completes = true;
  const rejections = random.weighted([
    [75, 0],
    [20, 1],
    [5, 2],
  ]);
  if (rejections === 0) return say(turn.answers.join("\n"), "completed");
  turn.rejection = complain(turn.answers.join("\n"));
  turn.cited = cited(turn.subjects, turn.answers);
  if (rejections === 1) return say(turn.cited.join("\n"), "completed");
  messages.push({ role: "assistant", content: `I could not complete this: ${complain(turn.cited.join("\n"))}.` });
}

const REFLECTIONS = [
  "Look at what was done so far: does it lead to what was asked?",
  "Look at what was done so far: does it lead to what was asked?",
  "Look at what was done so far: does it lead to what was asked?",
  "Is this going well?",
  "Think about your work: is it on the right way?",
];
const CRITICS = ["Is this what was asked?", "Is this call right?", "Should it be called?", "Check it."];

const asJson = (reason, text, decision) => `{"${reason}": ${JSON.stringify(text)}, "decision": "${decision}"}`;

// A question beside the conversation, behind a result: the engine's `reflect`, or its critic before the call.
export function askAside(random, { messages }, subject) {
  if (random.chance(0.7)) {
    const text =
      subject.outcome === "ok"
        ? `I have what ${subject.tool} gave, and go on.`
        : `${subject.tool} gave nothing, and I will say so.`;
    messages.push(
      {
        role: "user",
        content: `${random.pick(REFLECTIONS)}\nAnswer with JSON: {"monologue": your thoughts, "decision": "PROCEED" or "HALT"}.`,
      },
      { role: "assistant", content: asJson("monologue", text, "PROCEED") },
    );
    return;
  }
  messages.splice(-2);
  messages.push(
    {
      role: "user",
      content: `The tool ${subject.tool} is about to be called with ${JSON.stringify(subject.args)}.\n${random.pick(CRITICS)}\nAnswer with JSON: {"reason": why, "decision": "ALLOW" or "DENY"}.`,
    },
    { role: "assistant", content: asJson("reason", `${subject.tool} is what was asked for.`, "ALLOW") },
  );
}
