// The inspector's page: joins its views with the running engine and with files. Must not: hold up the engine, which the
// server sees to, or run text of a model as code.
import { Connection } from "./connection.js";
import { byId, el } from "./dom.js";
import { FilesView } from "./files-view.js";
import { number } from "./format.js";
import { hookTables } from "./hooks-view.js";
import { MemoryView } from "./memory-view.js";
import { TraceModel } from "./model.js";
import { QuestionsView } from "./questions-view.js";
import { RunsView } from "./runs-view.js";
import { tabs } from "./tabs.js";

/** @import { Lost, RecordItem, StateAnswer } from "../../wire/wire.js" */
/** @import { Shown } from "./runs-view.js" */

/** Milliseconds between two readings of the state, while a view shows it. */
const stateMs = 1000;

const connection = new Connection();
const status = byId("status", HTMLElement);
const notice = byId("notice", HTMLElement);
const sourceLabel = byId("source-label", HTMLElement);
const source = byId("source", HTMLSelectElement);

/** The engine, if there is one, then the files. @type {Shown[]} */
const sources = [];
const live = new TraceModel();
const engine = {
  name: "Running engine",
  model: live,
  readValues: (/** @type {number} */ seq) => connection.values(seq),
};
const runs = new RunsView(engine);
const memory = new MemoryView();
const questions = new QuestionsView(async (id, answer) => {
  await connection.post("/answers", { id, answer });
  await readState();
});
const files = new FilesView({
  added(file) {
    sources.push({ name: ownName(file.name), model: file.model, readValues: null });
    listSources();
    showSource(sources.length - 1);
  },
  refused: () => bar.open("panel-files"),
  sources: () => sources,
});

let panel = "panel-runs";
let isFollowing = false;
const bar = tabs(byId("tabs", HTMLElement), (id) => {
  panel = id;
  runs.changed();
  if (id !== "panel-files" && isFollowing) void readState();
});

function listSources() {
  sourceLabel.hidden = sources.length < 2;
  const chosen = source.value;
  source.replaceChildren(...sources.map(({ name }, index) => el("option", { value: index }, name)));
  source.value = chosen;
}

/** A file of a name that is there already gets a number. @param {string} name */
function ownName(name) {
  const isTaken = (/** @type {string} */ text) => sources.some((source) => source.name === text);
  let text = name;
  for (let count = 2; isTaken(text); count++) text = `${name} (${count})`;
  return text;
}

/** @param {number} index */
function showSource(index) {
  const shown = sources[index];
  if (shown === undefined) return;
  source.value = String(index);
  runs.show(shown);
}

/** @param {"connected" | "lost" | "refused"} how */
function tellStatus(how) {
  status.className = how;
  const words = {
    connected: "Connected",
    lost: "Connection lost, trying again",
    refused: "No access",
  };
  status.textContent = words[how];
  if (how !== "refused") return;
  notice.hidden = false;
  notice.textContent =
    "This page needs the token of its inspector. Open the whole address that was printed, with the part behind the #.";
}

/** @param {readonly (RecordItem | Lost)[]} items */
function takeItems(items) {
  for (const item of items) live.take(item);
  runs.changed();
  if (items.some(({ type }) => type === "questions")) void readState();
  if (live.ended === null) return;
  isFollowing = false;
  status.className = "ended";
  status.textContent =
    live.ended === "engine"
      ? "The engine has ended; this page keeps what it has"
      : "The inspector was closed; this page keeps what it has";
  questions.show([]);
}

/** @type {Promise<void> | undefined} */
let reading;

/** Reads the state once at a time. */
function readState() {
  reading ??= connection
    .state()
    .then(showState, () => undefined)
    .finally(() => (reading = undefined));
  return reading;
}

/** @param {StateAnswer} answer */
function showState(answer) {
  const { state, history } = answer;
  byId("panel-hooks", HTMLElement).replaceChildren(
    ...(state === undefined ? [el("p", { class: "empty" }, "Saved files have no list of hooks.")] : hookTables(state)),
  );
  if (panel === "panel-memory" || state === undefined) memory.show(state);
  if (live.ended === null) questions.show(answer.questions);
  if (history !== undefined && live.ended === null) {
    const lost = history.valuesLost > 0 ? `; values of ${number(history.valuesLost)} dispatches were dropped` : "";
    status.title = `${number(history.kept)} events are kept${lost}`;
  }
}

async function start() {
  source.addEventListener("change", () => showSource(Number(source.value)));
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => {
    memory.recolor();
    if (isFollowing) void readState();
  });
  let answer;
  try {
    answer = await connection.state();
  } catch {
    return tellStatus("refused");
  }
  byId("title", HTMLElement).textContent = answer.title.toLowerCase();
  document.title = `${answer.title} · llama-hooks inspector`;
  if (answer.state !== undefined) sources.push(engine);
  showState(answer);
  listSources();
  await openOffered(answer.files);
  files.update();
  if (answer.state === undefined) {
    status.textContent = "No engine: saved files only";
    if (sources.length !== 1) bar.open("panel-files");
    return;
  }
  showSource(0);
  isFollowing = true;
  setInterval(() => {
    if (isFollowing && !document.hidden && panel !== "panel-files" && panel !== "panel-runs") void readState();
  }, stateMs);
  await connection.follow({ items: takeItems, status: tellStatus });
}

/** @param {readonly string[]} names */
async function openOffered(names) {
  /** @type {string[]} */
  const wrong = [];
  for (const [index, name] of names.entries()) {
    try {
      files.add(name, await connection.file(index));
    } catch (error) {
      wrong.push(`${name} cannot be opened: ${error instanceof Error ? error.message : String(error)}`);
    }
  }
  files.tell(wrong);
}

await start();
