// The hooks of `npm start`: one changes what the model says, one stops what it is about to do.
import { defineHooks } from "llama-hooks";

/** What is returned is what is streamed, stored and given to the caller alike. */
export const shout = defineHooks("shout", {
  streamToken({ kind, text }) {
    const loud = text.toUpperCase();
    return kind === "content" && loud !== text ? { text: loud } : undefined;
  },
});

/** The model has decided to call a tool, and no tool has run yet: the run ends here, and the call gets a refusal. */
export const keepSecrets = defineHooks("keep-secrets", {
  postGenerate({ toolCalls }) {
    const call = toolCalls.find(({ name, args }) => name === "read_file" && /secret/i.test(String(args.path)));
    return call && { halt: `${call.args.path} is nobody's business` };
  },
});
