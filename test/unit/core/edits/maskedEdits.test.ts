import assert from 'node:assert/strict';
import fc from 'fast-check';
import { applyMaskedEdits, refuseMasks } from '../../../../src/core/edits/applyEdits.ts';
import { maskSecrets, masksIn } from '../../../../src/core/support/secretTokens.ts';
import { ToolError } from '../../../../src/core/support/toolError.ts';
import { privateKey, tokens } from '../support/secrets.ts';

const seed = Number(process.env['SEED'] ?? 5);
const token = `ghp_${'a1B2c3D4'.repeat(5)}`;

describe('applyMaskedEdits', () => {
  it('keeps secrets byte for byte in edits of the masked text', () => {
    const ends = fc.constantFrom('\n', '\r\n');
    fc.assert(
      fc.property(fc.array(tokens, { minLength: 1, maxLength: 5 }), ends, (secrets, end) => {
        const lines = secrets.flatMap((secret, index) => [
          `const token${index} = '${secret}';`,
          `use(token${index});`,
        ]);
        const text = [...lines, privateKey.replaceAll('\n', end), 'last();'].join(end);
        const maskedLines = maskSecrets(text).text.split(/\r?\n/);
        const edits = secrets.map((_, index) => ({
          search: `${maskedLines[index * 2] ?? ''}\nuse(token${index});`,
          replace: `/* new */ ${maskedLines[index * 2] ?? ''}\nuse(token${index}, ${index});`,
        }));
        const expected = lines.map((line, index) =>
          index % 2 === 0 ? `/* new */ ${line}` : line.replace(');', `, ${(index - 1) / 2});`),
        );
        const after = applyMaskedEdits(text, edits);
        assert.equal(after, [...expected, privateKey.replaceAll('\n', end), 'last();'].join(end));
      }),
      { seed, numRuns: 100 },
    );
  });

  it('moves a secret by its mask, and accepts a search text with the secret', () => {
    const masked = maskSecrets(token).text;
    const edit = { search: `a = ${masked};\nb = 2;`, replace: `b = 2;\na = ${masked};` };
    assert.equal(applyMaskedEdits(`a = ${token};\nb = 2;\n`, [edit]), `b = 2;\na = ${token};\n`);
    const plain = { search: `a = ${token};`, replace: `c = ${token};` };
    assert.equal(applyMaskedEdits(`a = ${token};\n`, [plain]), `c = ${token};\n`);
  });

  it('refuses a mask that matches no secret of the file', () => {
    const other = maskSecrets(`ghp_${'z9Y8x7W6'.repeat(5)}`).text;
    for (const replace of [`b = ${other};`, `b = ${maskSecrets(token).text.slice(4)};`]) {
      assert.throws(
        () => applyMaskedEdits(`a = ${token};\n`, [{ search: 'a = ', replace }]),
        (error) => error instanceof ToolError && /stands for a secret/.test(error.message),
      );
    }
    assert.throws(() => applyMaskedEdits('a = 1;', [{ search: 'a', replace: other }]), ToolError);
    assert.throws(() => refuseMasks(other, ''), ToolError);
  });

  it('keeps masks that are part of the file', () => {
    const text = `// ${maskSecrets(token).text}\na\n`;
    assert.equal(
      applyMaskedEdits(text, [{ search: '\na', replace: '\nb' }]),
      text.replace('\na', '\nb'),
    );
  });

  it('changes nothing if masks are ambiguous', () => {
    const text = `${token}\n${maskSecrets(token).text}\na\n`;
    assert.throws(() => applyMaskedEdits(text, [{ search: '\na', replace: '\nb' }]), ToolError);
  });

  it('reveals no secret by matches and listed lines', () => {
    const texts = [token, `ghp_${'z9Y8x7W6'.repeat(5)}`].map((secret) => `key = ${secret}\nend\n`);
    for (const search of ['key = ghp_a', 'ghp_a1B2', 'key = ghp', 'nothing like key']) {
      const results = texts.map((text) => {
        try {
          const { text: edited } = maskSecrets(
            applyMaskedEdits(text, [{ search, replace: 'x = ghp' }]),
          );
          return masksIn(edited).length;
        } catch (error) {
          return String(error).replace(/‹masked [0-9a-f]{6}›/g, '‹masked›');
        }
      });
      assert.equal(results[0], results[1], search);
      assert.ok(!String(results[0]).includes('a1B2c3'), search);
    }
  });
});
