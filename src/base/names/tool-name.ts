// Names of tools.

/** True for a name that a tool may have. */
export const isToolName = (name: unknown): name is string =>
  typeof name === "string" && /^[A-Za-z0-9_-]{1,128}$/.test(name);

/** The form of such names, for messages. */
export const toolNameForm = "1 to 128 letters, digits, _ or -";
