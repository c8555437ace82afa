// Known limits of the chat templates that come with llama.cpp. Must not: be a place for mistakes of hooks.

/** Templates with which llama.cpp parses no calls, and why. */
export const withoutCalls: Readonly<Record<string, string>> = {
  "CohereForAI-c4ai-command-r-plus-tool_use": "renders a call where llama.cpp does not look for one",
  "HuggingFaceTB-SmolLM3-3B": "takes tools only in variables of another name",
  "deepseek-ai-DeepSeek-R1-Distill-Llama-8B": "renders neither tools nor calls",
  "google-gemma-2-2b-it": "renders neither tools nor calls",
  "ibm-granite-granite-3.3-2B-Instruct": "renders no calls",
  "llama-cpp-rwkv-world": "renders neither tools nor calls",
  "microsoft-Phi-3.5-mini-instruct": "renders neither tools nor calls",
};

const sentence = "llama.cpp counts a sentence of the generation prompt to the reasoning";
const trigger = "what triggers llama.cpp's grammar is not what that grammar begins with";
const exampleId = "llama.cpp takes the id of an example for a part of the mark";
const schemaMarks = "llama.cpp's format for a schema lacks the template's marks";

/** Reasons by the name of a template and of what is tried on it. */
export type Known = Readonly<Record<string, string>>;

/** Replies that llama.cpp misreads without any hook, or does not let the model write. */
export const misreadReplies: Known = {
  "Apriel-1.6-15b-Thinker-fixed, call": sentence,
  "Apriel-1.6-15b-Thinker-fixed, text": sentence,
  "Apriel-1.6-15b-Thinker-fixed, text across parts": sentence,
  "Apriel-1.6-15b-Thinker-fixed, reasoning": sentence,
  "Apriel-1.6-15b-Thinker-fixed, two": sentence,
  "MiniMax-M1, two": "llama.cpp's grammar wants a comma between the calls",
  "MiniMax-M2, two": "llama.cpp's grammar lets one call into a <minimax:tool_call>",
  "meetkai-functionary-medium-v3.2, text": trigger,
  "meetkai-functionary-medium-v3.2, text across parts": trigger,
  "meetkai-functionary-medium-v3.2, two": trigger,
  "upstage-Solar-Open-100B, call": exampleId,
  "upstage-Solar-Open-100B, text": exampleId,
  "upstage-Solar-Open-100B, text across parts": exampleId,
  "upstage-Solar-Open-100B, two": exampleId,
};

/** Runs that llama.cpp gets wrong without any hook. */
export const misreadRuns: Known = {
  "Apriel-1.6-15b-Thinker-fixed, default": sentence,
  "upstage-Solar-Open-100B, default": exampleId,
};

/** Choices of a tool, and answers by a schema, that llama.cpp misreads or does not let the model write. */
export const misreadChoices: Known = {
  "meetkai-functionary-medium-v3.2, one call": trigger,
  "upstage-Solar-Open-100B, one call": exampleId,
  "upstage-Solar-Open-100B, an answer beside tools": schemaMarks,
};

/**
 * Templates with which a text that names the beginning of a call, in tokens that are no marks, cannot continue: it sets
 * llama.cpp's grammar going, which then admits a call alone.
 */
export const namesThatCall: readonly string[] = [
  "ByteDance-Seed-OSS",
  "GigaChat3-10B-A1.8B",
  "LFM2-8B-A1B",
  "LFM2.5-Instruct",
  "MiMo-VL",
  "MiniMax-M1",
  "MiniMax-M3",
  "NousResearch-Hermes-2-Pro-Llama-3-8B-tool_use",
  "NousResearch-Hermes-3-Llama-3.1-8B-tool_use",
  "Qwen-Qwen2.5-7B-Instruct",
  "Qwen-Qwen3-0.6B",
  "fireworks-ai-llama-3-firefunction-v2",
  "ibm-granite-granite-4.0",
  "ibm-granite-granite-4.1",
  "meetkai-functionary-medium-v3.1",
  "tencent-Hy3",
];

/** The faults of llama.cpp with a template, each reason once. */
export function faultsOf(template: string): string[] {
  const all = [misreadReplies, misreadRuns, misreadChoices].flatMap((known) => Object.entries(known));
  const its = all.filter(([what]) => what.startsWith(`${template}, `)).map(([, reason]) => reason);
  return [...new Set([...(withoutCalls[template] === undefined ? [] : [withoutCalls[template]]), ...its])];
}
