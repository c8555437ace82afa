// Suggests what an unknown name may mean: a typing error, the word of another library, or an option of another call.
import {
  engineChecks,
  generateChecks,
  loadChecks,
  runChecks,
  samplingChecks,
  sessionChecks,
} from "../../generated/parameters.js";

/** A list of names up to this length is shown whole. */
const mostShown = 6;
const nearestShown = 5;
/** No option has a longer name. */
const mostRead = 64;

/** `; did you mean "topK"? (...)`, with the nearest of the known names; all of them if they are few. */
export function suggest(name: string, known: readonly string[]): string {
  return suggestion(name, known, undefined);
}

/** The same for an option of a call; if another call takes the option, the suggestion names that call. */
export function suggestOption(name: string, known: readonly string[]): string {
  return suggestion(name, known, elsewhere(plain(name.slice(0, mostRead)), known));
}

function suggestion(written: string, known: readonly string[], other: string | undefined): string {
  const name = written.slice(0, mostRead);
  const sorted = known.toSorted((a, b) => farness(name, a) - farness(name, b));
  const own = ourNames(plain(name)).find((one) => known.includes(one)) ?? sorted.find((one) => isSlip(name, one));
  const few = known.length <= mostShown;
  const list = few ? `known: ${known.join(", ")}` : `nearest: ${sorted.slice(0, nearestShown).join(", ")}`;
  if (own !== undefined) return `; did you mean ${JSON.stringify(own)}? (${list})`;
  return other === undefined ? `; ${list}` : `; ${other} (${list})`;
}

function plain(text: string): string {
  return text.toLowerCase().replace(/[^a-z0-9]/g, "");
}

function isSlip(name: string, candidate: string): boolean {
  const [written, meant] = [plain(name), plain(candidate)];
  if (written === meant) return true;
  if (Math.abs(written.length - meant.length) > 2) return false;
  return distance(written, meant) <= Math.min(2, meant.length >> 1);
}

/** The number of edits between the names; less if they have words in common. */
function farness(name: string, candidate: string): number {
  const own = wordsOf(candidate);
  const common = wordsOf(name).filter((word) => own.includes(word)).length;
  return distance(plain(name), plain(candidate)) - 4 * common;
}

function wordsOf(name: string): string[] {
  return (name.match(/[A-Z]?[a-z]+|[A-Z]+|\d+/g) ?? []).map((word) => word.toLowerCase());
}

function distance(left: string, right: string): number {
  let row = Array.from({ length: right.length + 1 }, (_, index) => index);
  for (let i = 1; i <= left.length; i++) {
    const next = [i];
    for (let j = 1; j <= right.length; j++) {
      const swap = (row[j - 1] ?? 0) + (left[i - 1] === right[j - 1] ? 0 : 1);
      next.push(Math.min((row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1, swap));
    }
    row = next;
  }
  return row[right.length] ?? 0;
}

/**
 * The words of other libraries for our options: Vercel's AI SDK, the clients of OpenAI and Anthropic, node-llama-cpp,
 * Ollama, llama.cpp, LangChain. Our names, the likeliest first, and the others' words, without capitals and separators.
 */
const words: readonly (readonly [names: string, others: string])[] = [
  ["maxTokens", "maxoutputtokens maxcompletiontokens maxnewtokens numpredict npredict maxlength maxgenerationtokens"],
  ["signal deadlineMs", "abortsignal abort abortcontroller canceltoken cancellationtoken"],
  ["path model", "modelpath modelfile modelfilename modeluri gguf ggufpath file filename filepath from url uri"],
  ["path models", "model"],
  ["stop", "stopsequences stopsequence stopstrings stopwords customstoptriggers stoptriggers stoptokens reverseprompt"],
  ["system", "systemprompt systemmessage systeminstruction systeminstructions instructions persona preamble"],
  ["parameters", "inputschema schema params args arguments argsschema parameterschema paramsschema input"],
  ["run", "execute exec handler func function fn callback invoke implementation call"],
  ["answer jsonSchema", "schema outputschema output responseformat responseschema structuredoutput format object"],
  ["maxIterations", "maxsteps maxturns maxtoolroundtrips maxagentsteps recursionlimit maxloops steps"],
  ["contextSize", "numctx nctx ctxsize contextlength contextwindow maxcontext maxcontextlength maxcontexttokens"],
  ["gpuLayers", "ngpulayers numgpu ngl nlayers offload"],
  ["threads", "numthread numthreads nthreads"],
  ["batchSize", "numbatch nbatch"],
  ["parallel", "nparallel numparallel sequences maxconcurrent concurrency"],
  ["mmap", "usemmap"],
  ["kvType", "cachetype cachetypek kvcachetype typek"],
  ["chatTemplate", "template prompttemplate chatwrapper"],
  ["temperature", "temp"],
  ["repeatPenalty", "repetitionpenalty repeatlastpenalty"],
  ["penaltyLastN", "repeatlastn lasttokens"],
  ["reasoning", "think thinking enablethinking reasoningeffort"],
  ["reasoningBudget", "thinkingbudget budgettokens thoughttokens budgets"],
  ["tools", "functions toolset toolkit actions"],
  ["toolChoice", "functioncall forcetool"],
  ["history", "messages chathistory initialmessages conversationhistory conversation"],
  ["id", "sessionid conversationid threadid name"],
  ["tags", "metadata labels telemetry experimentaltelemetry"],
  ["adapters", "lora loras loraadapters"],
  ["gpu devices", "device backend"],
  ["hooks", "callbacks middleware plugins interceptors"],
  ["permissions", "needsapproval requireapproval approval canusetool allowedtools"],
  ["deadlineMs maxRunMs signal", "timeout timeoutms timeoutmillis timelimit"],
  ["maxRunTokens", "tokenbudget maxtotaltokens"],
  ["onProgress", "onloadprogress progresscallback"],
  ["logprobs", "logprob returnlogprobs"],
  ["sessionStore", "store checkpointer memory storage"],
  ["keepAlive", "ttl idletimeout"],
];

const byWord = new Map<string, string[]>();
for (const [names, others] of words)
  for (const other of others.split(" ")) byWord.set(other, [...(byWord.get(other) ?? []), ...names.split(" ")]);

/** The names here for the word of another library; none if no library has it. */
function ourNames(word: string): readonly string[] {
  return byWord.get(word) ?? [];
}

/** Names of the first argument in other libraries. */
const inputs: ReadonlySet<string> = new Set(["prompt", "messages", "input", "message", "text", "content"]);

/** Callbacks that receive the text while it is written. */
const listeners: ReadonlySet<string> = new Set([
  "ontoken",
  "ontextchunk",
  "onchunk",
  "onpartial",
  "onstream",
  "ontext",
]);

const places: readonly (readonly [place: string, names: readonly string[]])[] = [
  ["engine.session()", [...Object.keys(sessionChecks), "tools", "permissions", "history"]],
  ["session.run()", [...Object.keys(runChecks), "signal", "stopWhen", "hooks"]],
  ["engine.generate()", [...Object.keys(generateChecks), ...Object.keys(samplingChecks)]],
  ["models.load() and createEngine()", Object.keys(loadChecks)],
  ["createEngine()", [...Object.keys(engineChecks), "gpu", "sessionStore"]],
];

/** Says which call takes an option that is not one of `known`: "it is an option of engine.session()". */
function elsewhere(word: string, known: readonly string[]): string | undefined {
  if (inputs.has(word) && known.includes("signal")) return "it is the first argument, not an option";
  if (listeners.has(word)) return "read textStream or the events, or add a hook at streamToken";
  const wanted = [word, ...ourNames(word)];
  for (const one of wanted)
    for (const [place, names] of places) {
      const found = names.find((name) => name.toLowerCase() === one.toLowerCase());
      if (found === undefined || known.includes(found)) continue;
      return found.toLowerCase() === word
        ? `it is an option of ${place}`
        : `here it is called ${found}, an option of ${place}`;
    }
  return undefined;
}
