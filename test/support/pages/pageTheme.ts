import { readThemes } from '../../unit/webview/styleSheet.ts';

/** Theme of a page. */
export interface PageTheme {
  readonly name: string;
  /** Class name of its kind. */
  readonly kind: string;
  readonly colors: Readonly<Record<string, string>>;
}

/** Location of a page in VS Code, which determines the background behind the page. */
export type PagePlace = 'sideBar' | 'panel' | 'editor';

interface Look {
  readonly style: string;
  readonly className: string;
  readonly id: string;
}

const fonts = {
  'font-family': '"Liberation Sans", system-ui, sans-serif',
  'font-size': '13px',
  'font-weight': 'normal',
  'editor-font-family': 'monospace',
  'editor-font-size': '14px',
};

/** Properties and classes that VS Code gives to a page, and the background behind it. */
export function lookOf({ name, kind, colors }: PageTheme, pagePlace: PagePlace = 'sideBar'): Look {
  const properties = Object.entries({ ...fonts, ...colors })
    .map(([key, value]) => `--vscode-${key}: ${value};`)
    .join(' ');
  // Light high contrast themes have both classes.
  const both = kind === 'vscode-high-contrast-light' ? 'vscode-high-contrast ' : '';
  const style = `${properties} background: ${colors[`${pagePlace}-background`] ?? ''};`;
  return { style, className: `${both}${kind}`, id: name };
}

/** All looks of a page in VS Code's themes at these locations. */
export function looksIn(places: readonly PagePlace[]): readonly (Look & { theme: string })[] {
  return readThemes().flatMap((theme) => {
    const byBackground = new Map(
      places.map((pagePlace) => [
        theme.colors[`${pagePlace}-background`],
        lookOf(theme, pagePlace),
      ]),
    );
    return [...byBackground.values()].map((look) => ({ ...look, theme: theme.name }));
  });
}

/** One of VS Code's themes, by its id. */
export function themeNamed(name: string): PageTheme {
  const match = readThemes().find((theme) => theme.name === name);
  if (match === undefined) throw new Error(`There is no theme ${name}.`);
  return match;
}
