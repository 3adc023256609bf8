/** What the model of a chat may do: only write, also read, or also change things. The lowest is first. */
export const chatModes = ['chat', 'ask', 'agent'] as const;

export type ChatMode = (typeof chatModes)[number];

/** Whether one mode allows more than another. */
export function isHigher(mode: ChatMode, than: ChatMode): boolean {
  return chatModes.indexOf(mode) > chatModes.indexOf(than);
}
