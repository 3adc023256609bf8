import type { Store } from '../store.ts';

/** Whether there is something to send: a message, or those that wait after a turn that was stopped. */
export function canSend(store: Store): boolean {
  if (store.draft.text.value.trim() !== '') return true;
  return store.runningId.value === undefined && (store.panel.value?.queued ?? []).length > 0;
}

/** Sends what is written. While a turn runs, the host asks it later. */
export function send(store: Store): void {
  if (canSend(store)) void store.send(store.draft.text.value);
}
