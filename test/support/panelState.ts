import type { PanelState } from '../../src/protocol/messages.ts';

/** The state of a panel without a service. */
export const unconnected: PanelState = {
  connection: { kind: 'none' },
  model: { id: '', fromWorkspace: false, missing: false },
  settings: {},
  mode: 'agent',
  attachments: [],
  cost: { tokens: 0, perCharacter: 0.25 },
  sideChatCost: { tokens: 0, perCharacter: 0.25 },
  queued: [],
};
