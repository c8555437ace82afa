// Where the ready sets stand among other hooks of a point. Must not: be needed by sets of users.

/** After all hooks that are no guards: what these see is what those have left. Equal ones run as they were added. */
export const afterOthers = 2 ** 31 - 1;
