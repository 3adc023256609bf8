import assert from 'node:assert/strict';
import { Palette } from './palette.ts';
import { readRules, readThemes } from './styleSheet.ts';

const rules = readRules();
const tokenRules = rules.filter(({ selector }) => selector.startsWith('.token-'));

describe('Colors', () => {
  for (const theme of readThemes())
    it(`colors code as the editor does in ${theme.name}`, () => {
      const palette = new Palette(theme, rules);
      const colors = tokenRules.map(({ selector, declarations }) => [
        selector.slice('.token-'.length),
        palette.drawnColor(declarations.get('color') ?? '', '#ffffff'),
      ]);
      assert.deepEqual(Object.fromEntries(colors), theme.tokens);
    });
});
