/** Modes of a chat, lowest first: the model only writes, also reads, or also makes changes. */
export const chatModes = ['chat', 'ask', 'agent'] as const;

export type ChatMode = (typeof chatModes)[number];

/** The mode for a message in a chat of this mode: a plan is never written in Agent. */
export function modeOfMessage(
  { plan }: { readonly plan?: boolean | undefined },
  mode: ChatMode,
): ChatMode {
  return plan === true && mode === 'agent' ? 'ask' : mode;
}

/** True if `mode` allows more than `than`. */
export function isHigher(mode: ChatMode, than: ChatMode): boolean {
  return chatModes.indexOf(mode) > chatModes.indexOf(than);
}
