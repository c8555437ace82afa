// A gate that a test opens: order without sleeps.

export interface Gate {
  /** Resolves once the gate is open. */
  readonly passed: Promise<void>;
  open(): void;
}

export function gate(): Gate {
  const opener: { open?: () => void } = {};
  const passed = new Promise<void>((resolve) => (opener.open = resolve));
  return { passed, open: () => opener.open?.() };
}
