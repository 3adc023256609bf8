import { Consents } from '../../src/host/approval/consents.ts';
import type { Dialogs } from '../../src/host/platform/dialogs.ts';
import { dialogsWith } from './dialogsWith.ts';

/** Consents whose dialogs answer as given. Other dialogs fail. */
export function consentsWith(
  dialogs: Partial<Dialogs>,
  stored = new Map<string, unknown>(),
  workspace = 'here',
): Consents {
  const state = {
    get: (key: string) => stored.get(key),
    update: (key: string, value: unknown) => Promise.resolve(void stored.set(key, value)),
  };
  return new Consents(state, () => Promise.resolve(workspace), dialogsWith(dialogs));
}
