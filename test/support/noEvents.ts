/** An event that never fires. */
export const noEvents = (): { dispose(): void } => ({ dispose: () => undefined });
