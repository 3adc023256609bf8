import assert from 'node:assert/strict';
import fc from 'fast-check';
import { counted } from '../../../../src/core/support/counted.ts';

const russian = '{0} файл¦{0} файла¦{0} файлов';

describe('a message about a number of things', () => {
  it('is unchanged if the translation has one form', () => {
    assert.equal(counted('{0} files', 1, 'en'), '1 files');
    assert.equal(counted('{0} 件', 12, 'ja'), '12 件');
  });

  it('has the form of the language for the number', () => {
    const said = [0, 1, 2, 5, 11, 21, 22, 25, 111, 121].map((n) => counted(russian, n, 'ru'));
    const few = '0 файлов, 1 файл, 2 файла, 5 файлов, 11 файлов, 21 файл, 22 файла, 25 файлов';
    assert.equal(said.join(', '), `${few}, 111 файлов, 121 файл`);
    const french = '{0} fichier¦{0} fichiers';
    assert.equal(counted(french, 0, 'fr'), '0 fichier');
    assert.equal(counted(french, 2, 'fr'), '2 fichiers');
    assert.equal(counted(french, 3_000_000, 'fr'), `${(3_000_000).toLocaleString('fr')} fichiers`);
  });

  it('formats the number for the language, unless a text is given for it', () => {
    assert.equal(counted('{0} Dateien', 1234, 'de'), '1.234 Dateien');
    assert.equal(counted('{0} Token', 1234, 'de', '≈1,2k'), '≈1,2k Token');
    assert.equal(counted('{1}: {0}', 2, 'en', 'two', 'Files'), 'Files: two');
  });

  it('accepts an empty language', () => {
    assert.equal(counted('{0} files', 3, ''), '3 files');
    assert.match(counted('{0} a¦{0} b', 3, ''), /^3 [ab]$/);
  });

  it('is always one of its forms, by default the last, without a separator', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 0, max: 10_000_000 }),
        fc.constantFrom('de', 'fr', 'es', 'pt-br', 'ru', 'ja', 'ko', 'zh-cn', 'zh-tw', 'en', ''),
        fc.array(fc.stringMatching(/^[a-z]{1,5}$/), { minLength: 1, maxLength: 3 }),
        (count, language, forms) => {
          const said = counted(forms.join('¦'), count, language);
          assert.ok(forms.includes(said));
          const rule = new Intl.PluralRules(language || undefined).select(count);
          if (rule === 'one') assert.equal(said, forms[0]);
          if (rule === 'many' || rule === 'other') assert.equal(said, forms.at(-1));
        },
      ),
    );
  });

  it('never changes the inserted values', () => {
    fc.assert(
      fc.property(fc.string(), fc.integer({ min: 0, max: 1000 }), (name, count) => {
        const said = counted('{0} in {1}¦{0} из {1}¦{0} of {1}', count, 'ru', count, name);
        assert.ok(said.endsWith(` ${name}`) && said.startsWith(`${count} `));
      }),
    );
    assert.equal(counted('{0}: {1}', 2, 'en', '{1}', '$&¦{0}'), '{1}: $&¦{0}');
  });
});
