// Names of tools.

/** The maximum of characters of such a name. */
export const longestToolName = 128;

const form = new RegExp(`^[A-Za-z0-9_-]{1,${longestToolName}}$`);

/** True for a name that a tool may have. */
export const isToolName = (name: unknown): name is string => typeof name === "string" && form.test(name);

/** The form of such names, for messages. */
export const toolNameForm = `1 to ${longestToolName} letters, digits, _ or -`;
