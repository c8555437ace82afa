// The priority of the ready-made hook sets.

/**
 * After all hooks that are not guards, so that the sets see what those left. Equal priorities run in order of
 * registration.
 */
export const afterOthers = 2 ** 31 - 1;
