import assert from 'node:assert/strict';
import {
  numberFields,
  readNumber,
  readStop,
  withoutEmpty,
} from '../../../../src/webview/composer/optionsButton.tsx';

describe('optionFields', () => {
  const accepted: Record<string, Record<string, number>> = {
    temperature: { '0': 0, '2': 2, ' 0.7 ': 0.7, '0,7': 0.7, '1.40': 1.4 },
    topP: { '0': 0, '1': 1, '.5': 0.5 },
    maxTokens: { '1': 1, '4096': 4096 },
  };
  const refused: Record<string, readonly string[]> = {
    temperature: ['-0.1', '2.1', 'warm', '1.2.3', '0x1', 'Infinity', '1e0'],
    topP: ['1.01', '-1', 'NaN'],
    maxTokens: ['0', '-5', '1.5', '1e3', '99999999999999999999'],
  };

  for (const field of numberFields) {
    it(`reads ${field.name} within its range`, () => {
      for (const [text, value] of Object.entries(accepted[field.name] ?? {}))
        assert.deepEqual(readNumber(field, text), { value });
      assert.deepEqual(readNumber(field, '  '), { value: undefined });
    });

    it(`refuses ${field.name} outside of it with a message`, () => {
      for (const text of refused[field.name] ?? [])
        assert.deepEqual(readNumber(field, text), { problem: field.rule() }, text);
    });
  }

  it('reads one stop sequence a line, with its spaces', () => {
    assert.deepEqual(readStop('END\n\n  \n a b '), ['END', ' a b ']);
    assert.equal(readStop('\n '), undefined);
  });

  it('omits options that fall back to the settings, but not a zero', () => {
    const options = { temperature: 0, topP: undefined, stop: [], json: false };
    assert.deepEqual(withoutEmpty(options), { temperature: 0 });
  });
});
