import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import * as z from 'zod/mini';

const root = new URL('../../', import.meta.url);
const bundle = z
  .record(z.string(), z.string())
  .parse(JSON.parse(readFileSync(new URL('l10n/bundle.l10n.json', root), 'utf8')));

/** What stands as text in a call of `l10n.t`, in any of the three quotation marks. */
const call = /\bl10n\.t\(\s*(?:'((?:[^'\\]|\\.)*)'|"((?:[^"\\]|\\.)*)"|`((?:[^`\\]|\\.)*)`)/g;

function unescape(text: string): string {
  return text.replace(/\\(.)/g, (_, sign: string) => (sign === 'n' ? '\n' : sign));
}

describe('words that people read', () => {
  it('are all in the bundle that translators start from: else run `npm run l10n`', () => {
    const files = globSync('src/**/*.{ts,tsx}', { cwd: root });
    const used = files.flatMap((file) => {
      const calls = readFileSync(new URL(file, root), 'utf8').matchAll(call);
      return [...calls].map(([, single, double, back]) => single ?? double ?? back ?? '');
    });
    const said = new Set(used.map(unescape));
    assert.deepEqual([...said].sort(), Object.keys(bundle).sort());
  });
});
