import assert from 'node:assert/strict';
import * as z from 'zod/mini';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  markedTexts,
  markSalt,
  withMarkedL10n,
  writeTranslations,
} from '../../build/translations.ts';
import { messageMark } from '../../src/core/support/messageMarks.ts';
import { readSource, sourceFiles } from '../support/sourceFiles.ts';
import { TemporaryFolder } from '../support/temporaryFolder.ts';
import { languages, translated } from '../support/translations.ts';
import { withFakeVsCode } from '../support/withFakeVsCode.ts';

const packed = z.record(z.string(), z.string());

/** VS Code's `l10n` as far as it is used, with a bundle of marks; it formats what it gets. */
const vscode = `
  export const l10n = {
    bundle: { '${messageMark('Open {0}', markSalt)}': '{0} öffnen' },
    t: (message, ...parameters) =>
      (l10n.bundle[message] ?? message).replace(/\\{(\\d+)\\}/g, (_, at) => parameters[at]),
  };
`;
// As the build defines it.
Reflect.set(globalThis, 'MARK_SALT', markSalt);
const { markedL10n } = await withFakeVsCode(vscode, () => import('../../build/markedHost.ts'));

describe('the translations as a build has them', () => {
  it('have every text of each language, without the English ones', async () => {
    const folder = await TemporaryFolder.create();
    try {
      await writeTranslations(folder.path);
      for (const language of languages) {
        const file = readFileSync(join(folder.path, `bundle.l10n.${language}.json`), 'utf8');
        assert.deepEqual(
          packed.parse(JSON.parse(file)),
          markedTexts(translated(language).messages),
        );
      }
    } finally {
      await folder.dispose();
    }
  });

  it('are found by the host, which keeps a message that has none', () => {
    assert.equal(markedL10n.t('Open {0}', 'a.ts'), 'a.ts öffnen');
    assert.equal(markedL10n.t('Close {0}', 'a.ts'), 'Close a.ts');
  });

  it('are found by the view, which keeps a message that has none', async () => {
    const view = await import('../../build/markedView.ts');
    assert.equal(view.t('Open {0}', 'a.ts'), 'Open a.ts');
    view.config({ contents: JSON.stringify(markedTexts({ 'Open {0}': '{0} öffnen' })) });
    assert.equal(view.t('Open {0}', 'a.ts'), 'a.ts öffnen');
    assert.equal(view.t('Close {0}', 'a.ts'), 'Close a.ts');
  });

  it('are asked for in forms that the build knows', () => {
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
