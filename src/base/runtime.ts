// The program that runs this code.

/** The runtime's name and version: "Node 24.1.0", or "Bun 1.4.5 (Node 26.3.0)" with the Node that it reports. */
export function runtimeText(): string {
  const { node, bun, deno, electron } = process.versions as Readonly<Record<string, string | undefined>>;
  const other = Object.entries({ Bun: bun, Deno: deno, Electron: electron }).find(([, version]) => version);
  return other === undefined ? `Node ${node}` : `${other.join(" ")} (Node ${node})`;
}
