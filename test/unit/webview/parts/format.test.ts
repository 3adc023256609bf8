import assert from 'node:assert/strict';
import { formatDuration } from '../../../../src/webview/parts/format.ts';

describe('formatDuration', () => {
  for (const [milliseconds, text] of [
    [-5, '0.0 s'],
    [840, '0.8 s'],
    [9949, '9.9 s'],
    [9951, '10 s'],
    [59_400, '59 s'],
    [59_600, '1 min 0 s'],
    [125_000, '2 min 5 s'],
  ] as const)
    it(`says ${text}`, () => assert.equal(formatDuration(milliseconds), text));
});
