import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import * as z from 'zod/mini';
import { withoutVsCode } from '../../../support/withoutVsCode.ts';

const { reviewName, reviewPath } = await withoutVsCode(
  () => import('../../../../src/host/review/reviewDocuments.ts'),
);

const manifest = z
  .object({
    contributes: z.object({
      languages: z.array(
        z.object({
          id: z.string(),
          aliases: z.array(z.string()),
          extensions: z.array(z.string()),
        }),
      ),
      grammars: z.array(
        z.object({ language: z.string(), scopeName: z.string(), path: z.string() }),
      ),
      configurationDefaults: z.record(z.string(), z.unknown()),
    }),
  })
  .parse(JSON.parse(readFileSync(new URL('../../../../package.json', import.meta.url), 'utf8')));
const { languages, grammars } = manifest.contributes;

/** The language that VS Code chooses: the one with the longest matching extension. */
function languageOf(path: string): string | undefined {
  const name = reviewName(path);
  const fitting = languages.flatMap(({ id, extensions }) =>
    extensions
      .filter((extension) => name.endsWith(extension))
      .map((extension) => ({ id, extension })),
  );
  return fitting.toSorted((a, b) => b.extension.length - a.extension.length)[0]?.id;
}

describe('the document of a proposed text', () => {
  it('has a language of its own, which colors like that of the file', () => {
    assert.equal(languageOf('src/app.ts'), 'aside-review-ts');
    assert.equal(languageOf('C:\\a\\b.RS'), 'aside-review-rs');
    assert.equal(languageOf('package.json'), 'aside-review-json');
    for (const name of ['Makefile', '.env', 'a.unknown', 'x.', '', 'a.b c']) {
      assert.equal(languageOf(name), 'aside-review', name);
    }
  });

  it('is named so that no extension mistakes it for the file', () => {
    for (const name of [
      'package.json',
      'Dockerfile',
      'a/.env.local',
      'tsconfig.base.json',
      '.ts',
    ]) {
      assert.match(reviewName(name), /^text\.\w+\.aside-review$/, name);
    }
  });
});

describe('the path above a proposed text', () => {
  it('names the file', () => {
    assert.equal(reviewPath('src/app.ts'), 'src/app.ts/text.ts.aside-review');
    assert.equal(reviewPath('/w/\u202Ea.ts'), 'w/\\u{202e}a.ts/text.ts.aside-review');
  });
});

describe('the languages of proposed texts', () => {
  it('appear in no list, and belong to no file', () => {
    for (const { id, aliases, extensions } of languages) {
      assert.match(id, /^aside-review(-\w+)?$/);
      assert.deepEqual(aliases, []);
      for (const extension of extensions) assert.match(extension, /^(\.\w+)?\.aside-review$/);
    }
  });

  it('each have a grammar that only includes another', () => {
    const colored = languages.map(({ id }) => id).filter((id) => id !== 'aside-review');
    assert.deepEqual(
      grammars.map(({ language }) => language),
      colored,
    );
    for (const { language, scopeName, path } of grammars) {
      assert.match(scopeName, /^(source|text)\.[\w.]+\.aside-review$/);
      assert.equal(path, `./dist/grammars/${language.replace('aside-review-', '')}.json`);
    }
  });
});
