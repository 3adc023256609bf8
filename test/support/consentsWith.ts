import { Consents } from '../../src/host/approval/consents.ts';
import type { Dialogs } from '../../src/host/dialogs.ts';
import { dialogsWith } from './dialogsWith.ts';

/** Consents whose dialogs answer as given. Other dialogs fail. */
export function consentsWith(
  dialogs: Partial<Dialogs>,
  stored = new Map<string, unknown>(),
  workspace = 'here',
): Consents {
  return new Consents({
    state: {
      get: (key) => stored.get(key),
      update: (key, value) => Promise.resolve(void stored.set(key, value)),
    },
    workspace: () => Promise.resolve(workspace),
    dialogs: dialogsWith(dialogs),
  });
}
