import type { Dialogs } from '../../src/host/platform/dialogs.ts';

/** Dialogs that answer as given. Other dialogs fail. */
export function dialogsWith(answers: Partial<Dialogs>): Dialogs {
  const unexpected = (): never => {
    throw new Error('Nobody expected this dialog.');
  };
  return {
    prompt: unexpected,
    choose: unexpected,
    confirm: unexpected,
    decide: unexpected,
    pick: unexpected,
    pickSeveral: unexpected,
    showError: unexpected,
    showInformation: unexpected,
    showStatus: unexpected,
    progress: unexpected,
    ...answers,
  };
}
