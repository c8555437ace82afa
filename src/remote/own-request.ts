// The request for one answer, as the engine gives it to remote models (`lh_generator`).

/** A request, as `lh_generator` gets it. */
export interface OwnRequest {
  readonly model_id: string;
  readonly run_id: string;
  readonly session_id: string | null;
  readonly conversation: string | null;
  readonly tier: string | null;
  readonly priority: number;
  readonly params: Readonly<Record<string, unknown>>;
  readonly messages: readonly WireMessage[];
  readonly tools: readonly { readonly name: string; readonly description: string; readonly parameters: unknown }[];
}

export interface WireMessage {
  readonly role: "system" | "user" | "assistant" | "tool";
  readonly content: string;
  readonly reasoning?: string;
  readonly tool_calls?: readonly { readonly id: string; readonly name: string; readonly args: unknown }[];
  readonly tool_call_id?: string;
  readonly tool_name?: string;
}
