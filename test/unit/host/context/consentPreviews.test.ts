import assert from 'node:assert/strict';
import * as z from 'zod/mini';
import { withFakeVsCode } from '../../../support/withFakeVsCode.ts';

/** Records what is opened, and closes notifications at once. */
const vscode = `
  const nothing = () => ({ dispose() {} });
  export const opened = [];
  export class Uri { static from(parts) { return { ...parts, toString: () => parts.path }; } }
  export const l10n = { t: (text) => text };
  export const languages = {};
  export const commands = {
    executeCommand: async (command, ...values) => { opened.push([command, ...values]); },
  };
  export const workspace = {
    registerTextDocumentContentProvider: nothing,
    onDidCloseTextDocument: nothing,
    openTextDocument: async ({ path }) => ({ path, languageId: 'markdown' }),
  };
  export const window = {
    showTextDocument: async ({ path }) => { opened.push(['text', path]); },
    showInformationMessage: async (...texts) => { opened.push(['notification', ...texts]); },
  };
`;

const { ConsentPreviews, ReadOnlyDocuments, opened } = await withFakeVsCode(vscode, async () => {
  const { ConsentPreviews } = await import('../../../../src/host/context/consentPreviews.ts');
  const { ReadOnlyDocuments } = await import('../../../../src/host/platform/readOnlyDocuments.ts');
  const opened: unknown = Reflect.get(await import('vscode'), 'opened');
  assert.ok(Array.isArray(opened));
  return { ConsentPreviews, ReadOnlyDocuments, opened };
});

describe('the preview of a question', () => {
  const path = '.github/skills/notes/SKILL.md';
  const added = { path, text: 'Do it.', allowedText: undefined };
  const changed = { ...added, allowedText: 'Do it well.' };
  const cases = [
    ['opens the text of a new file', [added], 'text'],
    ['opens the difference to the text that was allowed', [changed], 'vscode.diff'],
    ['opens several files together', [added, changed], 'vscode.changes'],
  ] as const;
  for (const [what, files, command] of cases)
    it(`${what}, and leads back to the question`, async () => {
      opened.length = 0;
      const previews = new ConsentPreviews(new ReadOnlyDocuments('test'));
      await previews.of('Use it?', files).show();
      const [first, second, ...others] = z.array(z.array(z.unknown())).parse(opened);
      assert.equal(first?.[0], command);
      assert.deepEqual([second, others], [['notification', 'Use it?', 'Review…'], []]);
    });
});
