import assert from 'node:assert/strict';
import { JSDOM } from 'jsdom';
import { formatDuration, numberInPage, tokensText } from '../../../../src/webview/parts/format.ts';

/** Sets the language of the page, in which numbers are formatted. */
function inPage(language: string): void {
  before(() => {
    const { document } = new JSDOM(`<html lang="${language}">`).window;
    Object.defineProperty(globalThis, 'document', { value: document, configurable: true });
  });
  after(() => Reflect.deleteProperty(globalThis, 'document'));
}

describe('formatDuration', () => {
  inPage('en');

  for (const [milliseconds, text] of [
    [-5, '0.0 s'],
    [840, '0.8 s'],
    [9949, '9.9 s'],
    [9951, '10 s'],
    [59_400, '59 s'],
    [59_600, '1 min 0 s'],
    [125_000, '2 min 5 s'],
    [3_599_400, '59 min 59 s'],
    [3_599_600, '1 h 0 min'],
    [7_199_000, '2 h 0 min'],
    [12_000_000, '3 h 20 min'],
  ] as const)
    it(`says ${text}`, () => assert.equal(formatDuration(milliseconds), text));
});

describe('tokensText', () => {
  inPage('en');

  for (const [tokens, estimated, text] of [
    [0, false, '0 tokens'],
    [1, false, '1 token'],
    [1, true, '≈1 token'],
    [2, true, '≈2 tokens'],
    [1234, false, '1.2k tokens'],
  ] as const)
    it(`says ${text}`, () => assert.equal(tokensText(tokens, estimated), text));
});

describe('a page in German', () => {
  inPage('de');

  it('writes numbers in German, whatever the language of the browser', () => {
    assert.equal(numberInPage(12_345), '12.345');
    assert.equal(formatDuration(2500), '2,5 s');
  });
});
