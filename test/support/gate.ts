// Something to wait for that the test itself lets happen: order without sleeps.
// Must not: know engines.

export interface Gate {
  /** Resolves once the gate was opened. */
  readonly passed: Promise<void>;
  open(): void;
}

export function gate(): Gate {
  const opener: { open?: () => void } = {};
  const passed = new Promise<void>((resolve) => (opener.open = resolve));
  return { passed, open: () => opener.open?.() };
}
