import assert from 'node:assert/strict';
import { Palette } from './contrast.ts';
import { readRules, readThemes, type Rule, type Theme } from './styleSheet.ts';

const rules = readRules();
const themes = readThemes();
const tokenRules = rules.filter(({ selector }) => selector.startsWith('.token-'));
const codeBlockBackground = backgroundOf('.code-block');
/** Backgrounds of the places that can show the view: a side bar, the panel, an editor group. */
const places = ['sideBar', 'panel', 'editor'].map(
  (location) => `var(--vscode-${location}-background)`,
);

function backgroundOf(wanted: string): string {
  const lastRule = rules.findLast(
    ({ selector, declarations }) => selector === wanted && declarations.has('background'),
  );
  return lastRule?.declarations.get('background') ?? 'transparent';
}

/** The backgrounds of a rule, the lowest first. */
function layers({ selector, declarations }: Rule, background: string): readonly string[] {
  const inCode = selector.startsWith('.token-') || selector.startsWith('.code-');
  const ownBackground = declarations.get('background');
  return [
    background,
    inCode ? codeBlockBackground : 'transparent',
    ownBackground === 'none' ? 'transparent' : (ownBackground ?? 'transparent'),
  ];
}

/** Rules of `of` whose text has too little contrast in the theme. */
function lowContrastRules(
  theme: Theme,
  candidates: readonly Rule[],
  palette = new Palette(theme, rules),
): string[] {
  return places.flatMap((location) =>
    candidates.flatMap((rule) => {
      const color = rule.declarations.get('color') ?? 'inherit';
      const below = layers(rule, location);
      const background = palette.drawnColor('transparent', ...below);
      const contrast = palette.contrast(color, background);
      return contrast >= 4.5 ? [] : [`${theme.name}: ${rule.selector} ${contrast.toFixed(2)}`];
    }),
  );
}

describe('Colors', () => {
  for (const theme of themes) {
    it(`has legible code in ${theme.name}`, () => {
      assert.ok(tokenRules.length > 8);
      assert.deepEqual(lowContrastRules(theme, tokenRules), []);
    });

    it(`colors code as the editor does in ${theme.name}`, () => {
      const palette = new Palette(theme, rules);
      const colors = tokenRules.map(({ selector, declarations }) => [
        selector.slice('.token-'.length),
        palette.drawnColor(declarations.get('color') ?? '', '#ffffff'),
      ]);
      assert.deepEqual(Object.fromEntries(colors), theme.tokens);
    });
  }
});
