// The names of spans by kind of activity, and their attributes at the beginning and at the end.
// Must not: name anything that the messages of the channels lack: there are no prompts, answers or arguments.
import type { Attributes } from "@opentelemetry/api";
import * as names from "./conventions.js";
import type { Kind, Message, Messages } from "./messages.js";
import { whereIs } from "./providers.js";

const { operations, own } = names;

interface Description<M extends Message> {
  operation(message: M): string;
  /** Follows the operation in the name of the span. */
  subject(message: M): string | undefined;
  begin(message: M): Attributes;
  end(message: M): Attributes;
}

type Call = Messages["generation"] | Messages["modelCall"];
type Stopped = Pick<Messages["run"], "cancel" | "halt">;

const model = ({ modelId }: { readonly modelId: string }): string => modelId;
const chat = ({ kind }: Call): string => (kind === "chat" ? operations.chat : operations.text);

const descriptions: { readonly [K in Kind]: Description<Messages[K]> } = {
  generation: { operation: chat, subject: model, begin: (call) => beginOfCall(call), end: endOfCall },
  modelCall: {
    operation: chat,
    subject: model,
    begin: (call) => ({
      ...beginOfCall(call),
      [names.conversationId]: call.sessionId,
      ...(call.iteration !== null && { [own.iteration]: call.iteration }),
    }),
    end: endOfCall,
  },
  run: {
    operation: () => operations.agent,
    subject: ({ tier }) => tier,
    begin: ({ tier, sessionId, runId, modelId, toolCallId, resumes }) => ({
      [names.requestModel]: modelId,
      [names.conversationId]: sessionId,
      [own.runId]: runId,
      ...(tier !== undefined && { [names.agentName]: tier }),
      ...(toolCallId !== undefined && { [names.toolCallId]: toolCallId }),
      ...(resumes !== undefined && { [own.resumes]: resumes }),
    }),
    end: (run) => ({
      ...usage(run.usage),
      ...stops(run),
      ...(run.finishReason !== undefined && { [own.finishReason]: run.finishReason }),
      ...(run.limit !== undefined && { [own.limit]: run.limit }),
    }),
  },
  toolCall: {
    operation: () => operations.tool,
    subject: ({ toolName }) => toolName,
    begin: ({ toolName, toolCallId, sessionId, runId }) => ({
      [names.toolName]: toolName,
      [names.toolCallId]: toolCallId,
      [names.conversationId]: sessionId,
      [own.runId]: runId,
    }),
    end: ({ resultKind }) => (resultKind === undefined ? {} : { [own.resultKind]: resultKind }),
  },
  plan: {
    operation: () => operations.workflow,
    subject: () => "plan",
    begin: ({ flow, steps, sessionId, runId }) => ({
      [names.workflowName]: "plan",
      [names.conversationId]: sessionId,
      [own.runId]: runId,
      [own.planFlow]: flow,
      [own.planSteps]: steps,
    }),
    end: ({ succeeded, resultKind }) => ({
      ...(succeeded !== undefined && { [own.planSucceeded]: succeeded }),
      ...(resultKind !== undefined && { [own.resultKind]: resultKind }),
    }),
  },
  embedding: {
    operation: () => operations.embeddings,
    subject: model,
    begin: ({ modelId, texts }) => ({ [names.requestModel]: modelId, [own.texts]: texts }),
    end: ({ tokens, dimensions }) => ({
      ...(tokens !== undefined && { [names.usageInputTokens]: tokens }),
      ...(dimensions !== undefined && { [names.embeddingsDimensions]: dimensions }),
    }),
  },
  rerank: {
    operation: () => operations.rerank,
    subject: model,
    begin: ({ modelId, documents }) => ({ [names.requestModel]: modelId, [own.texts]: documents }),
    end: ({ tokens }) => (tokens === undefined ? {} : { [names.usageInputTokens]: tokens }),
  },
  modelLoad: {
    operation: () => operations.load,
    subject: model,
    begin: ({ modelId }) => ({ [names.requestModel]: modelId }),
    end: () => ({}),
  },
};

/** The operation, the name of the span and its first attributes. */
export function beginning(kind: Kind, message: Message): { operation: string; name: string; attributes: Attributes } {
  const { operation: of, subject, begin } = descriptions[kind] as Description<Message>;
  const operation = of(message);
  const about = subject(message);
  const attributes = {
    [names.operationName]: operation,
    ...whereIs(kind, message),
    ...begin(message),
    ...(message.queueMs !== undefined && { [own.queueTime]: message.queueMs / 1000 }),
  };
  return { operation, name: about === undefined ? operation : `${operation} ${about}`, attributes };
}

/** The attributes that the end adds. */
export function ending(kind: Kind, message: Message): Attributes {
  const attributes = (descriptions[kind] as Description<Message>).end(message);
  const { error } = message;
  return error === undefined ? attributes : { ...attributes, [names.errorType]: error.code };
}

function beginOfCall(call: Call): Attributes {
  return {
    [names.requestModel]: call.modelId,
    [names.responseId]: call.runId,
    [own.runId]: call.runId,
    ...params(call),
  };
}

function endOfCall(call: Call): Attributes {
  const first = call.usage?.firstTokenMs;
  return {
    ...params(call), // as hooks have left them
    ...usage(call.usage),
    ...stops(call),
    ...(call.answeredBy !== undefined && { [names.responseModel]: call.answeredBy }),
    ...(call.finishReason !== undefined && { [names.responseFinishReasons]: [call.finishReason] }),
    ...(first !== undefined && { [names.responseTimeToFirstChunk]: first / 1000 }),
    ...(call.usage?.queueMs !== undefined && { [own.queueTime]: call.usage.queueMs / 1000 }),
  };
}

function params({ params: given }: Call): Attributes {
  return {
    [names.requestTemperature]: given.temperature,
    [names.requestTopK]: given.topK,
    [names.requestTopP]: given.topP,
    [own.minP]: given.minP,
    [own.repeatPenalty]: given.repeatPenalty,
    [names.requestFrequencyPenalty]: given.frequencyPenalty,
    [names.requestPresencePenalty]: given.presencePenalty,
    ...(given.stop.length > 0 && { [names.requestStopSequences]: [...given.stop] }),
    ...(given.maxTokens !== undefined && { [names.requestMaxTokens]: given.maxTokens }),
    ...(given.seed !== undefined && { [names.requestSeed]: given.seed }),
  };
}

function usage(cost: Messages["run"]["usage"]): Attributes {
  if (cost === undefined) return {};
  return {
    [names.usageInputTokens]: cost.promptTokens,
    [names.usageOutputTokens]: cost.completionTokens,
    [names.usageCachedTokens]: cost.cachedTokens,
    ...(cost.reasoningTokens !== undefined && { [names.usageReasoningTokens]: cost.reasoningTokens }),
  };
}

function stops({ cancel, halt }: Stopped): Attributes {
  return {
    ...(cancel !== undefined && { [own.cancelBy]: cancel.by }),
    ...(typeof cancel?.reason === "string" && { [own.cancelReason]: cancel.reason }),
    ...(halt !== undefined && { [own.haltBy]: halt.by }),
    ...(typeof halt?.reason === "string" && { [own.haltReason]: halt.reason }),
  };
}
