import assert from 'node:assert/strict';
import * as z from 'zod/mini';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  markedTexts,
  markSalt,
  messageMarks,
  withMarkedL10n,
  writeTranslations,
} from '../../build/translations.ts';
import { packTexts, messageMark, unpackTexts } from '../../src/core/support/messageMarks.ts';
import { readSource, sourceFiles } from '../support/sourceFiles.ts';
import { TemporaryFolder } from '../support/temporaryFolder.ts';
import { languages, translated } from '../support/translations.ts';
import { withFakeVsCode } from '../support/withFakeVsCode.ts';

const packed = z.record(z.string(), z.string());

const someMessages = ['Close the window', 'Open {0}', 'Save'];

/** The subset of VS Code's `l10n` that is used, with a packed bundle. */
const vscode = `
  export const l10n = {
    bundle: { texts: ${JSON.stringify(packTexts([undefined, '{0} öffnen', 'Sichern']))} },
    t: (message, ...parameters) =>
      (l10n.bundle[message] ?? message).replace(/\\{(\\d+)\\}/g, (_, at) => parameters[at]),
  };
`;
// Normally defined by the build.
Reflect.set(globalThis, 'MARK_SALT', markSalt);
Reflect.set(
  globalThis,
  'MESSAGE_MARKS',
  someMessages.map((message) => messageMark(message, markSalt)).join(''),
);
const { markedL10n } = await withFakeVsCode(vscode, () => import('../../build/markedHost.ts'));

describe('packed translations', () => {
  it('have every text of each language, but no English ones', async () => {
    const folder = await TemporaryFolder.create();
    try {
      await writeTranslations(folder.path);
      for (const language of languages) {
        const file = readFileSync(join(folder.path, `bundle.l10n.${language}.json`), 'utf8');
        const { texts = '', ...others } = packed.parse(JSON.parse(file));
        assert.deepEqual(
          unpackTexts(texts, messageMarks),
          markedTexts(translated(language).messages),
        );
        assert.deepEqual(others, {});
      }
    } finally {
      await folder.dispose();
    }
  });

  it('are found by the host, which falls back to English', () => {
    assert.equal(markedL10n.t('Open {0}', 'a.ts'), 'a.ts öffnen');
    assert.equal(markedL10n.t('Close {0}', 'a.ts'), 'Close a.ts');
    assert.equal(markedL10n.t('Close the window'), 'Close the window');
    assert.equal(markedL10n.t('Save'), 'Sichern');
  });

  it('are found by the view, which falls back to English', async () => {
    const view = await import('../../build/markedView.ts');
    assert.equal(view.t('Open {0}', 'a.ts'), 'Open a.ts');
    view.config({ contents: JSON.stringify(markedTexts({ 'Open {0}': '{0} öffnen' })) });
    assert.equal(view.t('Open {0}', 'a.ts'), 'a.ts öffnen');
    assert.equal(view.t('Close {0}', 'a.ts'), 'Close a.ts');
  });

  it('are requested in forms that the build recognizes', () => {
    assert.equal(
      withMarkedL10n('const { l10n, env } = vscode;'),
      'const { env } = vscode, l10n = markedL10n;',
    );
    const others = sourceFiles.filter((file) =>
      /\bvscode\s*\??\.\s*l10n\b|\bl10n\b[^{}]*\} = vscode\b|^import \{[^}]*\bl10n\b[^}]*\} from 'vscode'/m.test(
        withMarkedL10n(readSource(file)),
      ),
    );
    assert.deepEqual(others, []);
  });
});
