import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { projectFolder } from '../support/paths.ts';
import { colorNames, readThemes, type Theme } from '../unit/webview/styleSheet.ts';
import { journey } from './support/journey.ts';

const file = join(projectFolder, 'test/fixtures/themes.json');

/** Labels of themes whose id differs. */
const labels: Readonly<Record<string, string>> = {
  'Default High Contrast': 'Dark High Contrast',
  'Default High Contrast Light': 'Light High Contrast',
  'Visual Studio Light': 'Light (Visual Studio)',
  'Visual Studio Dark': 'Dark (Visual Studio)',
};

describe('journey: colors', () => {
  // `UPDATE_TRANSCRIPTS=1` updates them.
  const not = { oldest: 'it has other themes' };
  journey(
    'themes have the colors that the tests expect',
    { freshWindow: true, not },
    async (walk) => {
      await walk.panel.showEmpty();
      const themes: Theme[] = [];
      for (const theme of readThemes()) {
        const label = labels[theme.name] ?? theme.name;
        await walk.workbench.command('Preferences: Color Theme');
        await walk.workbench.pick(label);
        const body = walk.panel.frame.locator(`body[data-vscode-theme-id$='${theme.name}']`);
        await body.waitFor({ state: 'attached' });
        const colors = await body.evaluate(readColors, [...colorNames()]);
        themes.push({ ...theme, colors });
      }
      if (process.env['UPDATE_TRANSCRIPTS'] === '1')
        await writeFile(file, `${JSON.stringify(themes, undefined, 2)}\n`);
      assert.deepEqual(themes, JSON.parse(await readFile(file, 'utf8')));
    },
  );
});

/** Colors of the page as `#rrggbb`, followed by the opacity if it isn't 1. */
function readColors(_body: Element, names: readonly string[]): Record<string, string> {
  const style = document.documentElement.style;
  const probe = document.createElement('canvas').getContext('2d', { willReadFrequently: true });
  const hex = (color: string): string => {
    if (/^#([\da-f]{6}|[\da-f]{8})$/.test(color) || probe === null) return color;
    probe.fillStyle = '#000000';
    probe.fillStyle = color;
    const [, rgb = '', opacity = ''] = /^rgba\((.+), ([\d.]+)\)$/.exec(probe.fillStyle) ?? [];
    const parts = [...rgb.split(', ').map(Number), Math.round(Number(opacity) * 255)];
    return rgb === ''
      ? probe.fillStyle
      : `#${parts.map((part) => part.toString(16).padStart(2, '0')).join('')}`;
  };
  return Object.fromEntries(
    names.flatMap((name) => {
      const value = style.getPropertyValue(`--vscode-${name}`).trim();
      return value === '' ? [] : [[name, hex(value)]];
    }),
  );
}
