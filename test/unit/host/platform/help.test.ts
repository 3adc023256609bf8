import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import * as z from 'zod/mini';
import { helpText } from '../../../../src/host/platform/help.ts';

const root = new URL('../../../../', import.meta.url);
const readJson = (file: string): unknown => JSON.parse(readFileSync(new URL(file, root), 'utf8'));
const manifest = z
  .object({
    contributes: z.looseObject({
      keybindings: z.array(z.looseObject({ key: z.string(), mac: z.optional(z.string()) })),
    }),
  })
  .parse(readJson('package.json'));

const text = helpText(manifest);

function section(title: string): readonly string[] {
  const lines = text.split('\n');
  const from = lines.indexOf(`# ${title}`) + 2;
  assert.ok(from > 1, title);
  return lines.slice(from, lines.indexOf('', from));
}

describe('the help', () => {
  it('has each key of package.json once, with that of a Mac if it differs', () => {
    const spoken = (key: string): string =>
      key.replaceAll(/\b[a-z]/g, (letter) => letter.toUpperCase());
    const named = [
      ...section('Keyboard Shortcuts: Window'),
      ...section('Keyboard Shortcuts: Review of an Edit'),
    ];
    for (const { key, mac = key } of manifest.contributes.keybindings) {
      const end = key === mac ? `: ${spoken(key)}` : `: ${spoken(key)} (Mac: ${spoken(mac)})`;
      const sharing = manifest.contributes.keybindings.filter(
        (keybinding) => keybinding.key === key,
      );
      assert.equal(named.filter((line) => line.endsWith(end)).length, sharing.length, end);
    }
    // The keys of VS Code's diff editor come after those of package.json.
    assert.equal(named.length, manifest.contributes.keybindings.length + 3);
  });
});
