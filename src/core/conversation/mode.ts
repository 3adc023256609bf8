/** Modes of a chat, lowest first: the model only writes, also reads, or also makes changes. */
export const chatModes = ['chat', 'ask', 'agent'] as const;

export type ChatMode = (typeof chatModes)[number];

/** True if `mode` allows more than `than`. */
export function isHigher(mode: ChatMode, than: ChatMode): boolean {
  return chatModes.indexOf(mode) > chatModes.indexOf(than);
}
