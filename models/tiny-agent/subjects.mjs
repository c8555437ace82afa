// What is asked for: an expression, a city, a file. With the call it should lead to, a result, and the answer to give.
// Results are often not the true ones: the model must copy what the tool (or a hook behind it) said, not compute.

import { calculate } from "./calculate.mjs";
import { inventedCity, ofSplit, syllables } from "./random.mjs";
import { CITIES, CONDITIONS, CONTENT, ERRORS, EXTENSIONS, FOLDERS, HOOKS, REASONS, STEMS } from "./words.mjs";

const REFUSALS = [
  "refused: ",
  "refused: ",
  "refused: ",
  "Refused: ",
  "denied: ",
  "rejected: ",
  "blocked: ",
  "cancelled: ",
  "error: refused: ",
  "Tool call refused: ",
  "vetoed: ",
  "denied: ",
  "denied: ",
  "rejected by the critic: ",
  "limit reached: ",
];
const FAILURES = ["error: ", "error: ", "error: ", "error: ", "Error: ", "failed: ", "tool failed: ", "not run: "];

// Multi-digit numbers are split between training and held-out; single digits are shared, there being only ten.
function number(random, heldOut) {
  const digits = random.weighted([
    [32, 1],
    [40, 2],
    [18, 3],
    [7, 4],
    [2, 5],
    [1, 6],
  ]);
  if (digits === 1) return String(random.between(digits, 9));
  const whole = ofSplit(heldOut, () => String(random.between(10 ** (digits - 1), 10 ** digits - 1)));
  return random.chance(0.06) ? `${whole}.${random.between(1, 99)}` : whole;
}

const SAID = {
  "*": [" times ", " times ", " multiplied by ", " x "],
  "+": [" plus "],
  "-": [" minus "],
  "/": [" divided by ", " divided by ", " over "],
};
const SENTENCES = {
  "+": "the sum of {a} and {b}",
  "*": "the product of {a} and {b}",
  "-": "the difference between {a} and {b}",
};

function expression(random, heldOut, wanted) {
  if (wanted) return { expression: wanted, spoken: wanted };
  const [a, b, c, d] = Array.from({ length: 4 }, () => number(random, heldOut));
  const [o, p, q] = Array.from({ length: 3 }, () =>
    random.weighted([
      [32, "*"],
      [32, "+"],
      [20, "-"],
      [16, "/"],
    ]),
  );
  const text = random.weighted([
    [80, `${a} ${o} ${b}`],
    [8, `${a} ${o} ${b} ${p} ${c}`],
    [6, `(${a} ${o} ${b}) ${p} ${c}`],
    [4, `${a} ${o} (${b} ${p} ${c})`],
    [1, `(${a} ${o} ${b}) ${p} (${c} ${q} ${d})`],
    [1, `${a} ${o} ${b} ${p} ${c} ${q} ${d}`],
  ]);
  let spoken = text;
  const simple = /^[\d.]+ (.) [\d.]+$/.exec(text);
  if (simple && SENTENCES[simple[1]] && random.chance(0.07)) {
    spoken = SENTENCES[simple[1]].replace("{a}", a).replace("{b}", b);
  } else if (!text.includes("(") && random.chance(0.28)) {
    spoken = text.replace(/ ([*+/-]) /g, (_, sign) => random.pick(SAID[sign]));
  } else if (random.chance(0.25)) {
    spoken = text.replaceAll(" ", "");
  }
  return { expression: text, spoken };
}

function value(random, text) {
  if (random.chance(0.3)) return number(random, random.chance(0.125));
  const exact = calculate(text);
  if (!Number.isFinite(exact)) return "0";
  return String(Number.isInteger(exact) ? exact : Number(exact.toFixed(random.pick([1, 2, 2, 2, 3, 4]))));
}

function calculation(random, heldOut, wanted) {
  const { expression: text, spoken } = expression(random, heldOut, wanted);
  const result = value(random, text);
  return {
    spoken,
    args: { expression: text },
    result,
    answer: `${text} = ${result}.`,
    facts: [text, result],
    about: `calculate ${text}`,
  };
}

function cityWeather(random, heldOut, wanted) {
  const city = wanted ?? ofSplit(heldOut, () => (random.chance(0.25) ? random.pick(CITIES) : inventedCity(random)));
  const spelled = !heldOut && wanted === undefined && random.chance(0.06) ? city.toLowerCase() : city;
  return weatherIn(random, heldOut, spelled);
}

function weatherIn(random, heldOut, city) {
  const temperature = random.chance(0.85) ? random.between(-20, 40) : random.between(-200, 400) / 10;
  const condition = random.chance(0.92) ? random.pick(CONDITIONS) : syllables(random, 1, 2);
  const fields = [
    ["city", city],
    ["temp_c", temperature],
    ["condition", condition],
  ];
  const report = Object.fromEntries(random.chance(0.6) ? fields : random.shuffle(fields));
  if (random.chance(0.08)) report[random.pick(["humidity", "wind"])] = random.between(0, 99);
  return {
    spoken: !heldOut && random.chance(0.04) ? `"${city}"` : city,
    args: { city },
    result: JSON.stringify(report, null, random.chance(0.04) ? 1 : undefined),
    answer: `It is ${temperature} °C in ${city}, ${condition}.`,
    facts: [String(temperature), city, condition],
    about: `get the weather in ${city}`,
  };
}

export function filePath(random, heldOut) {
  const stem = ofSplit(heldOut, () => {
    let text = random.chance(0.4) ? random.pick(STEMS) : syllables(random, 1, 2);
    if (random.chance(0.1))
      text += random.pick(["_", "-"]) + (random.chance(0.5) ? random.pick(STEMS) : syllables(random, 1, 2));
    if (random.chance(0.1)) text += random.pick(["", "_", "-"]) + random.between(1, random.pick([9, 99, 2030]));
    return random.chance(0.03) ? text.toUpperCase() : text;
  });
  const folder = random.chance(0.22) ? `${random.chance(0.6) ? random.pick(FOLDERS) : syllables(random, 1, 2)}/` : "";
  const root = folder && random.chance(0.2) ? random.pick(["/", "./", "../"]) : "";
  return `${root}${folder}${stem}.${random.pick(EXTENSIONS)}`;
}

function content(random) {
  const count = random.weighted([
    [25, random.between(1, 3)],
    [55, random.between(3, 7)],
    [18, random.between(7, 12)],
    [2, random.between(12, 30)],
  ]);
  let text = "";
  for (let i = 0; i < count; i++) {
    let word = random.weighted([
      [68, random.pick(CONTENT)],
      [16, syllables(random, 1, 2)],
      [10, number(random, random.chance(0.125))],
      [6, inventedCity(random)],
    ]);
    if (random.chance(0.08)) word = word.charAt(0).toUpperCase() + word.slice(1);
    if (i > 0)
      text += random.weighted([
        [80, " "],
        [7, ", "],
        [5, ". "],
        [3, ": "],
        [3, "\n"],
        [1, "-"],
        [1, " = "],
      ]);
    text += word;
  }
  return (
    text +
    random.weighted([
      [6, ""],
      [3, "."],
      [1, "!"],
    ])
  );
}

// A text that speaks of its file: one who copies by what went before a word goes in circles there.
function ofItself(random, path) {
  const name = random.chance(0.7) ? path : path.replace(/^.*\/|\.[^.]*$/g, "");
  const before = random.pick(["the text of ", "the content of ", "this is ", "", "", `${content(random)} `]);
  const after = random.pick(["", "", ".", " says: ", ": ", " "]);
  return before + name + (/[: ]$/.test(after) ? after + content(random) : after);
}

function file(random, heldOut, wanted) {
  const path = wanted ?? filePath(random, heldOut);
  const text = !heldOut && random.chance(0.08) ? ofItself(random, path) : content(random);
  return {
    spoken: !heldOut && random.chance(0.05) ? random.pick([`"${path}"`, `'${path}'`, `\`${path}\``]) : path,
    args: { path },
    result: text + (random.chance(0.12) ? "\n" : ""),
    answer: `${path} says: ${text}`,
    facts: [path, text],
    about: `read ${path}`,
  };
}

const MAKERS = { calculator: calculation, weather: cityWeather, read_file: file };

export function makeSubject(random, kind, heldOut, wanted) {
  const subject = { tool: kind, outcome: "ok", ...MAKERS[kind](random, heldOut, wanted) };
  return troubled(random, subject, `I could not ${subject.about}`);
}

export const invented = (random) => Array.from({ length: random.between(1, 4) }, () => random.pick(CONTENT)).join(" ");

// How the engine tells of a call that a hook has stopped.
const blocked = (random) =>
  `blocked by ${random.chance(0.7) ? random.pick(HOOKS) : `${syllables(random, 1, 2)}${random.pick(["", "-hook", "-guard"])}`}: `;

// One call in eight comes to nothing: refused or failed, with a reason that the answer has to name.
export function troubled(random, subject, failure) {
  const trouble = random.next();
  if (trouble > 0.125) return subject;
  const refused = trouble < 0.08;
  let reason = random.pick(refused ? REASONS : ERRORS[subject.tool]);
  if (random.chance(0.25)) reason = invented(random);
  if (random.chance(0.1)) reason = reason.charAt(0).toUpperCase() + reason.slice(1);
  let result = random.chance(0.4) ? blocked(random) : random.pick(REFUSALS);
  if (!refused)
    result = subject.tool === "delegate" && random.chance(0.8) ? "delegation failed: " : random.pick(FAILURES);
  result += reason;
  if (!refused && random.chance(0.1)) reason = result = `timed out after ${random.between(1, 9999)} ms`;
  return {
    ...subject,
    outcome: refused ? "refused" : "error",
    result,
    answer: `${refused ? `I was not allowed to ${subject.about}` : failure}: ${reason}.`,
    facts: [refused ? "not allowed" : "could not", reason],
  };
}
