// Makes conversations that teach tiny-agent to chat and to call tools. Deterministic: the same seed gives the same conversations.
// Each comes with what a right answer is, so that the held-out ones can be marked by machine.

import {
  tools as canonical,
  calculator,
  complete,
  delegate,
  distractors,
  otherControls,
  otherDescriptions,
  readFile,
} from "./tools.mjs";
import { askAside, completeWork, makeDelegation } from "./agent.mjs";
import { chat, chatOpeners, noTool } from "./chat.mjs";
import { ask, closers, joinSame, joinThree, joinTwo, openers, task } from "./questions.mjs";
import { capital, createRandom, inventedCity, lower } from "./random.mjs";
import { invented, makeSubject } from "./subjects.mjs";
import { personas, systemPrompts } from "./system-prompts.mjs";

const KINDS = ["calculator", "weather", "read_file"];

function toolList(random, heldOut) {
  const count = random.weighted([
    [52, 3],
    [18, 2],
    [16, 1],
    [14, 0],
  ]);
  const list = random
    .shuffle(canonical)
    .slice(0, count)
    .map((tool) => (random.chance(0.6) ? tool : { ...tool, description: random.pick(otherDescriptions[tool.name]) }));
  if (count > 0 && random.chance(0.2)) list.push(...random.shuffle(distractors).slice(0, random.between(1, 2)));
  // Half of the time the usual order: that is what the demos send.
  const usual = !heldOut && count === 3 && random.chance(0.4);
  return withControls(random, usual ? [...canonical, ...list.slice(3)] : random.shuffle(list));
}

// Four agents in ten may hand on tasks or end their work by a call. The engine puts its own tools behind the others.
function withControls(random, list) {
  if (random.chance(0.6)) return list;
  const controls = random.weighted([
    [40, [delegate, complete]],
    [28, [delegate]],
    [32, [complete]],
  ]);
  if (random.chance(0.12)) controls.push(...random.shuffle(otherControls).slice(0, random.between(1, 3)));
  return random.chance(0.9) ? [...list, ...random.shuffle(controls)] : random.shuffle([...list, ...controls]);
}

const has = (conversation, name) => conversation.tools.some((tool) => tool.name === name);

function systemPrompt(random) {
  if (random.chance(0.5)) return null;
  const parts = [];
  if (random.chance(0.25)) {
    parts.push(
      random
        .pick(personas)
        .replace("{n}", () => inventedCity(random))
        .replace("{m}", () => inventedCity(random)),
    );
  }
  const more = random.weighted([
    [60, 1],
    [25, 2],
    [12, 3],
    [3, 10],
  ]);
  parts.push(...random.shuffle(systemPrompts).slice(0, more));
  return parts.join(random.chance(0.9) ? " " : "\n");
}

const sometimesLower = (random, phrase) => (random.chance(0.15) ? lower(phrase) : phrase);

// Small variations that do not change what is asked.
function dress(random, text) {
  text = sometimesLower(random, text);
  if (random.chance(0.12)) text = `${random.pick(openers)} ${random.chance(0.5) ? lower(text) : text}`;
  if (random.chance(0.12)) text = text.replace(/[.?!]?$/, (end) => ` ${random.pick(closers).replace("?", "")}${end}`);
  if (random.chance(0.12)) text = text.replace(/[.?]$/, "");
  return text;
}

const fill = (phrase, values) => phrase.replace(/\{(\w)\}/g, (_, key) => values[key]);

// One tool call and its result, or the sentence that there is no tool for it.
function useTool(conversation, subject) {
  if (!has(conversation, subject.tool)) return noTool[subject.tool];
  subject.called = true;
  const id = `call_${conversation.messages.length}`;
  conversation.messages.push(
    { role: "assistant", content: "", toolCalls: [{ id, name: subject.tool, args: subject.args }] },
    { role: "tool", content: subject.result, toolCallId: id, toolName: subject.tool },
  );
  return subject.answer;
}

function finish(random, conversation, question, subjects, category) {
  const start = conversation.messages.length;
  conversation.messages.push({ role: "user", content: question });
  const turn = { category, start, subjects, answers: [] };
  conversation.turns.push(turn);
  for (const subject of subjects) {
    turn.answers.push(useTool(conversation, subject));
    if (subject.called && random.chance(0.03)) {
      askAside(random, conversation, subject);
      conversation.ended = true;
      return;
    }
  }
  if (has(conversation, "complete") && subjects.some((subject) => subject.called)) {
    completeWork(random, conversation, turn, () => invented(random));
  } else {
    conversation.messages.push({ role: "assistant", content: turn.answers.join("\n") });
  }
}

function oneThing(random, conversation, kind, heldOut, followUp) {
  const subject = makeSubject(random, kind, heldOut);
  const phrases = followUp ? ask[kind].followUp : ask[kind][heldOut === "all" ? "heldOut" : "train"];
  const phrase = random.pick(phrases);
  let question = fill(followUp ? phrase : dress(random, phrase), { x: subject.spoken });
  // As a task from another agent says it.
  if (!followUp && random.chance(0.12)) question = aTask(random, kind, subject);
  finish(random, conversation, question, [subject], kind);
}

function aTask(random, kind, subject) {
  const text = fill(random.pick(random.chance(0.7) ? task[kind] : ask[kind].fragment), { x: subject.spoken });
  return random.chance(0.8) ? text : capital(text) + random.pick(["", ".", "?"]);
}

// Something for another agent, as a fragment of a question.
function handOn(random, heldOut) {
  const kind = random.pick(KINDS);
  const about = makeSubject(random, kind, heldOut);
  return makeDelegation(random, heldOut, kind, about, random.pick(ask[kind].fragment));
}

function delegated(random, conversation, heldOut) {
  const subject = handOn(random, heldOut);
  const question = capital(subject.spoken) + random.pick(["", ".", ".", "?"]);
  finish(random, conversation, dress(random, question), [subject], "delegate");
}

// Several things, at least one of them for another agent.
function withDelegation(random, conversation, heldOut) {
  const split = heldOut === "all" ? "heldOut" : "train";
  // A list that lacks a tool for one of them is the exception.
  const known = KINDS.filter((kind) => has(conversation, kind));
  const from = random.chance(0.88) && known.length > 0 ? known : KINDS;
  const kinds = random.shuffle(from).slice(0, random.pick([1, 1, 2]));
  const subjects = kinds.map((kind) => makeSubject(random, kind, heldOut));
  const parts = subjects.map((subject, i) => fragment(random, kinds[i], heldOut, subject));
  const other = handOn(random, heldOut);
  const at = random.chance(0.6) ? subjects.length : random.below(subjects.length + 1);
  subjects.splice(at, 0, other);
  parts.splice(at, 0, other.spoken);
  const [a, b, c = ""] = parts;
  const phrase = random.pick((parts.length === 2 ? joinTwo : joinThree)[split]);
  const question = fill(sometimesLower(random, phrase), { a, b, c, A: capital(a), B: capital(b), C: capital(c) });
  finish(random, conversation, question, subjects, parts.length === 2 ? "two things" : "three things");
}

function fragment(random, kind, heldOut, subject) {
  const { fragment: train, heldOutFragment } = ask[kind];
  return fill(random.pick(heldOut === "all" && random.chance(0.5) ? heldOutFragment : train), { x: subject.spoken });
}

function twoThings(random, conversation, heldOut) {
  const [first, second] = random.chance(0.25) ? Array(2).fill(random.pick(KINDS)) : random.shuffle(KINDS);
  const split = heldOut === "all" ? "heldOut" : "train";
  const subjects = [makeSubject(random, first, heldOut), makeSubject(random, second, heldOut)];
  if (subjects[0].spoken === subjects[1].spoken) return twoThings(random, conversation, heldOut);
  let question;
  if (first === second && random.chance(0.7)) {
    question = fill(sometimesLower(random, random.pick(joinSame[first][split])), {
      x: subjects[0].spoken,
      y: subjects[1].spoken,
    });
  } else {
    const a = fragment(random, first, heldOut, subjects[0]);
    const b = fragment(random, second, heldOut, subjects[1]);
    question = fill(
      sometimesLower(random, random.pick(joinTwo[split])).replace("{A}", random.chance(0.15) ? "{a}" : "{A}"),
      { a, b, A: capital(a) },
    );
  }
  finish(random, conversation, question, subjects, "two things");
}

function chatTurn(random, conversation, heldOut) {
  const [train, unseen, answer] = random.weighted(
    chat.map((entry) => [entry[2] === null ? 14 : Math.sqrt(entry[0].length), entry]),
  );
  const names = conversation.tools.map((tool) => tool.name).join(", ");
  const ability = names
    ? `I can chat a little and use my tools: ${names}.`
    : "I can chat a little. Give me tools and I will use them.";
  let question = random.pick(heldOut === "all" ? unseen : train);
  if (heldOut !== "all") {
    if (random.chance(0.25))
      question = `${random.pick(chatOpeners)} ${random.chance(0.7) ? lower(question) : question}`;
    if (random.chance(0.1)) question += random.pick([" please", " now", " then", ", agent", ", tiny-agent", " again"]);
    if (random.chance(0.15)) question = lower(question);
    if (random.chance(0.2)) question = question.replace(/[.?!]$/, () => random.pick(["", "", "!", "?", "."]));
  }
  finish(random, conversation, question, [], "chat");
  const text = answer ?? ability;
  conversation.messages.at(-1).content = text;
  conversation.turns.at(-1).answers = [text];
}

// The prompts of the project's demos: trained often enough to be safe, and never part of the evaluation.
const DEMO = [
  ["What is 12 * 7?", ["calculator:12 * 7"]],
  ["What is the weather in Oslo?", ["weather:Oslo"]],
  ["What is 12 * 7, and what does secrets.txt say?", ["calculator:12 * 7", "read_file:secrets.txt"]],
  ["What does secrets.txt say?", ["read_file:secrets.txt"]],
];

function demoTurn(random, conversation) {
  const [question, wanted] = random.pick(DEMO);
  const subjects = wanted.map((text) => {
    const [kind, value] = text.split(":");
    return makeSubject(random, kind, false, value);
  });
  finish(random, conversation, question, subjects, "demo");
}

// The run of `npm start`, as the one who is asked has it, with whatever its tools and the other agent come to.
function demoRun(random) {
  const conversation = { tools: [calculator, readFile, delegate, complete], messages: [], turns: [] };
  if (random.chance(0.8)) conversation.messages.push({ role: "system", content: "You are an agent that uses tools." });
  const sum = makeSubject(random, "calculator", false, "12 * 7");
  const file = makeSubject(random, "read_file", false, "secrets.txt");
  const about = makeSubject(random, "weather", false, "Oslo");
  const scout = makeDelegation(random, false, "weather", about, "", "scout", "check the weather in {x}");
  const question = "What is 12 * 7, and what does secrets.txt say? Have the scout check the weather in Oslo.";
  finish(random, conversation, question, [sum, file, scout], "demo");
  return conversation;
}

export function makeConversation(random, heldOut = false) {
  if (!heldOut && random.chance(0.02)) return demoRun(random);
  const conversation = { tools: toolList(random, heldOut), messages: [], turns: [] };
  const system = systemPrompt(random);
  if (system !== null) conversation.messages.push({ role: "system", content: system });
  const count = random.weighted([
    [78, 1],
    [14, 2],
    [6, 3],
    [1.4, 6],
    [0.6, 14],
  ]);
  let last = null;
  for (let i = 0; i < count && !conversation.ended; i++) {
    // A list that lacks the tool teaches the refusal; too many of those would teach nothing else.
    const known = KINDS.filter((kind) => conversation.tools.some((tool) => tool.name === kind));
    const kind = random.pick(known.length > 0 && random.chance(0.72) ? known : KINDS);
    const chatty = known.length === 0 ? 0.5 : 0.17;
    // Without another agent it is asked for now and then, and says that there is none.
    const handsOn = has(conversation, "delegate") ? 0.5 : 0.015;
    if (random.chance(chatty)) {
      chatTurn(random, conversation, heldOut);
      last = null;
    } else if (random.chance(handsOn)) {
      if (random.chance(heldOut ? 0.45 : 0.35)) delegated(random, conversation, heldOut);
      else withDelegation(random, conversation, heldOut);
      last = null;
    } else if (!heldOut && random.chance(0.015)) {
      demoTurn(random, conversation);
      last = null;
    } else if (last !== null && random.chance(0.4)) {
      oneThing(random, conversation, last, heldOut, true);
    } else if (known.length > 0 && random.chance(heldOut ? 0.24 : 0.3)) {
      twoThings(random, conversation, heldOut);
      last = null;
    } else {
      oneThing(random, conversation, kind, heldOut, false);
      last = kind;
    }
  }
  return conversation;
}

/**
 * `heldOut`: false for training; "values" for names, numbers and files that training never has; "all" for ways of asking
 * that it never has either.
 */
export function* conversations(seed, count, heldOut = false) {
  const random = createRandom(seed);
  for (let i = 0; i < count; i++) yield makeConversation(random, heldOut);
}
