import type { CodeAction, ShownCode } from '../markdown/index.ts';
import type { ViewRequest } from '../../protocol/messages.ts';
import type { Store } from '../store.ts';

/** Does what a button of a code block says; rejects when the host refused, which is shown. */
export async function runCodeAction(
  store: Store,
  action: CodeAction,
  code: ShownCode,
): Promise<void> {
  const request = requestFor(action, code);
  if (request === undefined || !(await store.request(request))) throw new Error('Refused.');
}

function requestFor(
  action: CodeAction,
  { text, language, file }: ShownCode,
): ViewRequest | undefined {
  const place = { language: language.slice(0, 100), ...(file && { path: file.path }) };
  switch (action) {
    case 'open':
      return file && { type: 'open-file', ...file };
    case 'copy':
      return { type: 'copy', text };
    case 'insert':
      return { type: 'insert-at-cursor', text };
    case 'apply':
      return { type: 'apply-to-file', text, ...place };
    case 'run':
      return { type: 'run-in-terminal', text };
    case 'new-file':
      return { type: 'new-file', text, ...place };
  }
}
