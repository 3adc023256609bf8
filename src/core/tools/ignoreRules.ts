import { compileGlob, type PathTest } from './globs.ts';

interface Rule {
  readonly fits: PathTest;
  readonly ignores: boolean;
  readonly foldersOnly: boolean;
}

/** What the `.gitignore` of one folder says. */
export class IgnoreRules {
  readonly #folder: string;
  readonly #rules: readonly Rule[];

  /** @param folder where the file lies; empty for the root, else without a `/` at its end. */
  constructor(text: string, folder: string) {
    this.#folder = folder;
    this.#rules = text.split(/\r?\n/).flatMap(readRule);
  }

  /** Whether the path is ignored; undefined where these rules say nothing about it. */
  ignores(path: string, isFolder: boolean): boolean | undefined {
    const below = this.#folder === '' ? path : path.slice(this.#folder.length + 1);
    const rule = this.#rules.findLast(
      ({ fits, foldersOnly }) => (isFolder || !foldersOnly) && fits(below),
    );
    return rule?.ignores;
  }
}

/** What the rules of nested folders say together: those of the innermost count. */
export function isIgnored(rules: readonly IgnoreRules[], path: string, isFolder: boolean): boolean {
  for (const one of rules.toReversed()) {
    const ignored = one.ignores(path, isFolder);
    if (ignored !== undefined) return ignored;
  }
  return false;
}

function readRule(line: string): readonly Rule[] {
  const written = line.replace(/(?<!\\) +$/, '');
  if (written === '' || written.startsWith('#')) return [];
  const ignores = !written.startsWith('!');
  const pattern = written.slice(ignores ? 0 : 1).replace(/^\\([#!])/, '$1');
  return [{ fits: compileGlob(pattern, false), ignores, foldersOnly: pattern.endsWith('/') }];
}
