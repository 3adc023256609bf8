import { readdirSync, readFileSync } from 'node:fs';
import { z } from 'zod/mini';

const folder = new URL('../../../media/webview/', import.meta.url);
const colors = z.record(z.string(), z.string());

/** A theme of VS Code: its id, the class of its kind, and the colors that it sets. */
export type Theme = z.infer<typeof theme>;
const theme = z.object({ name: z.string(), kind: z.string(), colors, tokens: colors });

export interface Rule {
  readonly selector: string;
  readonly declarations: ReadonlyMap<string, string>;
}

export function readThemes(): readonly Theme[] {
  const file = new URL('../../fixtures/themes.json', import.meta.url);
  return z.array(theme).parse(JSON.parse(readFileSync(file, 'utf8')));
}

/** The rules of all style sheets of the view; a selector list makes one rule per selector. */
export function readRules(): readonly Rule[] {
  const names = readdirSync(folder).filter((name) => name.endsWith('.css'));
  return names.toSorted().flatMap((name) => {
    const text = readFileSync(new URL(name, folder), 'utf8').replace(/\/\*[^]*?\*\//g, '');
    return [...text.matchAll(/([^{};]+)\{([^{}]*)\}/g)].flatMap(([, selectors = '', body = '']) =>
      splitTop(selectors).map((selector) => ({ selector, declarations: declarations(body) })),
    );
  });
}

const pageBackgrounds = ['sideBar-background', 'panel-background', 'editor-background'];

/**
 * Names of the theme colors that the view uses: in its style sheets, in VS Code's style sheet for
 * webviews, and as backgrounds of pages.
 */
export function colorNames(): ReadonlySet<string> {
  const files = readdirSync(folder).map((name) => new URL(name, folder));
  const defaults = new URL('../../support/pages/webviewDefaults.css', import.meta.url);
  const text = [...files, defaults].map((file) => readFileSync(file, 'utf8')).join('\n');
  const names = [...text.matchAll(/--vscode-([\w-]+)/g)].map(([, name = '']) => name);
  return new Set([
    ...pageBackgrounds,
    ...names.filter((name) => !/(?:^|-)font(?:-|$)/.test(name)).toSorted(),
  ]);
}

function declarations(body: string): ReadonlyMap<string, string> {
  const lines = body.split(';').filter((line) => line.includes(':'));
  return new Map(
    lines.map((line) => {
      const [name = '', ...value] = line.split(':');
      return [name.trim(), value.join(':').replaceAll(/\s+/g, ' ').trim()];
    }),
  );
}

export function propertiesOf(theme: Theme, rules: readonly Rule[]): Map<string, string> {
  const set = new Map<string, string>();
  for (const [name, value] of Object.entries(theme.colors)) set.set(`--vscode-${name}`, value);
  for (const { selector, declarations } of rules)
    if (appliesToPage(selector, theme))
      for (const [name, value] of declarations) if (name.startsWith('--')) set.set(name, value);
  return set;
}

/** True if a selector of the body applies. Later rules win, as the most specific come last. */
function appliesToPage(selector: string, { name, kind }: Theme): boolean {
  if (selector === ':root' || selector === 'body') return true;
  const [, className, operator, id] =
    /^body(?:\.([\w-]+)|\[data-vscode-theme-id(.?)='([^']+)'\])$/.exec(selector) ?? [];
  // VS Code gives high contrast light themes both classes.
  if (kind === 'vscode-high-contrast-light' && className === 'vscode-high-contrast') return true;
  if (className !== undefined) return className === kind;
  if (id === undefined) return false;
  return operator === '$' ? name.endsWith(id) : operator === '*' ? name.includes(id) : name === id;
}

/** Splits at commas outside parentheses. */
export function splitTop(text: string): string[] {
  let depth = 0;
  const parts = [''];
  for (const character of text) {
    depth += character === '(' ? 1 : character === ')' ? -1 : 0;
    if (character === ',' && depth === 0) parts.push('');
    else parts.push(`${parts.pop() ?? ''}${character}`);
  }
  return parts.map((part) => part.trim()).filter(Boolean);
}
