import { readThemes } from '../../unit/webview/styleSheet.ts';

/** What a page has of a theme. */
export interface PageTheme {
  readonly name: string;
  /** The class of its kind. */
  readonly kind: string;
  readonly colors: Readonly<Record<string, string>>;
}

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

/** The properties and classes that VS Code gives to a page. */
export function lookOf({ name, kind, colors }: PageTheme): Look {
  const style = Object.entries({ ...fonts, ...colors })
    .map(([key, value]) => `--vscode-${key}: ${value};`)
    .join(' ');
  // A light theme of high contrast has both classes.
  const both = kind === 'vscode-high-contrast-light' ? 'vscode-high-contrast ' : '';
  return { style, className: `${both}${kind}`, id: name };
}

/** A theme that comes with VS Code, by its id. */
export function themeNamed(name: string): PageTheme {
  const found = readThemes().find((theme) => theme.name === name);
  if (found === undefined) throw new Error(`There is no theme ${name}.`);
  return found;
}
