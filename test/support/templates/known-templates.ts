// Known limits of the chat templates that come with llama.cpp. Must not: be a place for mistakes of hooks.

/** Templates with which llama.cpp parses no calls, and why. */
export const withoutCalls: Readonly<Record<string, string>> = {
  "CohereForAI-c4ai-command-r-plus-tool_use": "renders a call where llama.cpp does not look for one",
  "HuggingFaceTB-SmolLM3-3B": "has tools in variables of its own only",
  "deepseek-ai-DeepSeek-R1-Distill-Llama-8B": "renders neither tools nor calls",
  "google-gemma-2-2b-it": "renders neither tools nor calls",
  "ibm-granite-granite-3.3-2B-Instruct": "renders no calls",
  "llama-cpp-rwkv-world": "renders neither tools nor calls",
  "microsoft-Phi-3.5-mini-instruct": "renders neither tools nor calls",
};
