import { longestLine, type SearchScope, type TextQuery } from '../../core/tools/fileSearch.ts';

/**
 * A kind of files of our own. Unlike with `--glob`, what is ignored stays so; but it is about names
 * alone, so whoever wants certain folders must look at the paths as well.
 */
const kind = 'aside';

/** No settings of the machine, hidden files too, and what `.gitignore` says even without Git. */
const always = ['--no-config', '--no-messages', '--hidden', '--no-require-git', '--color=never'];

/** The arguments that list the files of a scope, relative to its root. */
export function listArguments(scope: SearchScope): readonly string[] {
  return [...always, '--files', '--null', ...scopeArguments(scope)];
}

/** The arguments that search a scope: `path NUL line : text`, with `-` for a line of context. */
export function searchArguments(scope: SearchScope, query: TextQuery): readonly string[] {
  return [...always, ...queryArguments(query), ...scopeArguments(scope)];
}

/** The arguments that search what comes in. */
export function inputArguments(query: TextQuery): readonly string[] {
  return [...always, ...queryArguments(query), '--', '-'];
}

function queryArguments({ text, isRegex, context }: TextQuery): readonly string[] {
  return [
    '--line-number',
    '--with-filename',
    '--no-heading',
    '--null',
    '--smart-case',
    '--crlf',
    `--max-columns=${longestLine}`,
    '--max-columns-preview',
    `--context=${context}`,
    ...(isRegex ? [] : ['--fixed-strings']),
    `--regexp=${text}`,
  ];
}

function scopeArguments({ start, include, exclude }: SearchScope): readonly string[] {
  return [
    ...includeArguments(include),
    ...exclude.map((glob) => `--glob=!${glob}`),
    '--',
    start === '' ? './' : `./${start}`,
  ];
}

function includeArguments(include: readonly string[]): readonly string[] {
  const names = include.map((glob) => glob.slice(glob.lastIndexOf('/') + 1));
  if (names.length === 0 || !names.every(isAboutNames)) return [];
  return [...names.map((name) => `--type-add=${kind}:${name}`), `--type=${kind}`];
}

/** Whether the end of a glob stands for names, and no brace was opened before it. */
function isAboutNames(end: string): boolean {
  const opened = end.split('{').length;
  return end !== '' && end !== '**' && !end.includes(':') && opened === end.split('}').length;
}
