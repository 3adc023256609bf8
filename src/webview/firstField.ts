import type { Store } from './store.ts';

/**
 * Takes what was written into the field of the page, which is there before any script, along into
 * the composer that replaces it: behind a draft that was kept.
 */
export function takeFirstField(page: Document, store: Store): void {
  const field = page.querySelector<HTMLTextAreaElement>('textarea.message-field');
  if (field === null) return;
  if (field.value !== '') store.draft.replace(store.draft.text.value + field.value);
  if (page.activeElement === field) store.focusComposer();
}
