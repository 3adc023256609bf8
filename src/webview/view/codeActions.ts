import type { CodeAction } from '../markdown/index.ts';
import type { ViewRequest } from '../../protocol/messages.ts';
import type { Store } from '../store.ts';

/** Does what a button of a code block says; rejects when the host refused, which is shown. */
export async function runCodeAction(
  store: Store,
  action: CodeAction,
  text: string,
  language: string,
): Promise<void> {
  if (!(await store.request(requestFor(action, text, language)))) throw new Error('Refused.');
}

function requestFor(action: CodeAction, text: string, language: string): ViewRequest {
  switch (action) {
    case 'copy':
      return { type: 'copy', text };
    case 'insert':
      return { type: 'insert-at-cursor', text };
    case 'new-file':
      return { type: 'new-file', text, language: language.slice(0, 100) };
  }
}
