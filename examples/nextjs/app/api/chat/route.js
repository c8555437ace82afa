// POST /api/chat: streams an answer to the messages of `useChat()`. A veto of a hook reaches the page as its metadata.
import { convertToModelMessages, createUIMessageStreamResponse, streamText, toUIMessageStream } from "ai";
import { llamaHooks } from "llama-hooks/ai-sdk";
import { engine } from "../../../lib/engine.js";

export async function POST(request) {
  const { messages } = await request.json();
  const { stream } = streamText({
    model: llamaHooks(await engine())("default"),
    messages: await convertToModelMessages(messages),
    temperature: 0,
    abortSignal: request.signal,
  });
  const messageMetadata = ({ part }) =>
    part.type === "finish-step" ? { veto: part.providerMetadata?.llamaHooks?.cancel ?? null } : undefined;
  return createUIMessageStreamResponse({ stream: toUIMessageStream({ stream, messageMetadata }) });
}
