import { Consents } from '../../src/host/approval/consents.ts';
import type { Dialogs } from '../../src/host/dialogs.ts';

/** Consents with the answers of these dialogs; none other may be shown. */
export function consentsWith(
  dialogs: Partial<Pick<Dialogs, 'confirm' | 'decide'>>,
  stored = new Map<string, unknown>(),
  workspace = 'here',
): Consents {
  const unexpected = (message: string): Promise<never> =>
    Promise.reject(new Error(`Nobody answers: ${message}`));
  return new Consents({
    state: {
      get: (key) => stored.get(key),
      update: (key, value) => Promise.resolve(void stored.set(key, value)),
    },
    workspace: () => Promise.resolve(workspace),
    dialogs: { confirm: unexpected, decide: unexpected, ...dialogs },
  });
}
