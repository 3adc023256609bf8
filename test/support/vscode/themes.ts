/** Kinds of color theme: a built-in theme, the class of its window, and that of its webviews. */
export const themes = {
  light: { name: 'Light Modern', window: 'vs', body: 'vscode-light' },
  dark: { name: 'Dark Modern', window: 'vs-dark', body: 'vscode-dark' },
  'high-contrast': {
    name: 'Dark High Contrast',
    window: 'hc-black',
    body: 'vscode-high-contrast:not(.vscode-high-contrast-light)',
  },
  'high-contrast-light': {
    name: 'Light High Contrast',
    window: 'hc-light',
    body: 'vscode-high-contrast-light',
  },
} as const;

export type ThemeKind = keyof typeof themes;
