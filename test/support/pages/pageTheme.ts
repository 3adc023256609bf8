import { readThemes } from '../../unit/webview/styleSheet.ts';

/** What a page has of a theme. */
export interface PageTheme {
  readonly name: string;
  /** The class of its kind. */
  readonly kind: string;
  readonly colors: Readonly<Record<string, string>>;
}

/** Where VS Code shows a page, whose background is below that of the page. */
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

/** The properties and classes that VS Code gives to a page, and the background of its place. */
export function lookOf({ name, kind, colors }: PageTheme, pagePlace: PagePlace = 'sideBar'): Look {
  const properties = Object.entries({ ...fonts, ...colors })
    .map(([key, value]) => `--vscode-${key}: ${value};`)
    .join(' ');
  // A light theme of high contrast has both classes.
  const both = kind === 'vscode-high-contrast-light' ? 'vscode-high-contrast ' : '';
  const style = `${properties} background: ${colors[`${pagePlace}-background`] ?? ''};`;
  return { style, className: `${both}${kind}`, id: name };
}

/** All looks of a page in the themes that come with VS Code, in these places. */
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

/** A theme that comes with VS Code, by its id. */
export function themeNamed(name: string): PageTheme {
  const match = readThemes().find((theme) => theme.name === name);
  if (match === undefined) throw new Error(`There is no theme ${name}.`);
  return match;
}
