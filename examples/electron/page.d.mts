/** The functions that preload.cjs gives the page. */
export interface EngineBridge {
  ask(prompt: string): void;
  stop(): void;
  onSaid(listener: (message: { type: string; text: string }) => void): void;
}
