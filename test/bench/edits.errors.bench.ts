import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { applyEdits } from '../../src/core/edits/applyEdits.ts';
import type { SearchReplace } from '../../src/core/edits/fitReplacement.ts';
import { projectFolder } from '../support/paths.ts';
import { Random } from './rendering/random.ts';
import { figureRow } from './row.ts';
import type { Table } from './table.ts';

/** Files of this project that are edited, beside one of each language in `languages`. */
const patterns = [
  'src/core/{turn,edits,service}/*.ts',
  'src/webview/transcript/*.tsx',
  'media/webview/*.css',
  'docs/*.md',
  'test/fixtures/workspace/**/*.{js,html,json}',
];
const fileCount = 60;
/** Edits of each file with each error. */
const rounds = 40;

/** An edit of a few lines, and the text that it should lead to. */
interface LineEdit {
  readonly text: string;
  readonly search: readonly string[];
  readonly replace: readonly string[];
  readonly expected: string;
}

/** An edit as a model writes it. Undefined if the error changes nothing in it. */
type ModelError = (edit: LineEdit, random: Random) => WrittenEdit | undefined;

interface WrittenEdit extends SearchReplace {
  /** The file, and the right result, if they aren't those of the edit. */
  readonly text?: string;
  readonly expected?: string;
}

const indentOf = (line: string): string => /^[ \t]*/.exec(line)?.[0] ?? '';
const joined = (lines: readonly string[]): string => lines.join('\n');
const withoutFirstIndent = ([first = '', ...others]: readonly string[]): readonly string[] => [
  first.trimStart(),
  ...others,
];

/** Removes the indentation that all lines of both sides share. */
function dedented({ search, replace }: LineEdit): WrittenEdit | undefined {
  const lines = [...search, ...replace].filter((line) => line.trim() !== '');
  const width = Math.min(...lines.map((line) => indentOf(line).length));
  if (width === 0) return undefined;
  const cut = (line: string): string => (line.trim() === '' ? line : line.slice(width));
  return { search: joined(search.map(cut)), replace: joined(replace.map(cut)) };
}

function drifted({ search, replace }: LineEdit, by: number): WrittenEdit | undefined {
  const lines = [...search, ...replace].filter((line) => line.trim() !== '');
  if (lines.some((line) => line.startsWith('\t') || indentOf(line).length + by < 0))
    return undefined;
  const shift = (line: string): string =>
    line.trim() === '' ? line : ' '.repeat(indentOf(line).length + by) + line.trim();
  return { search: joined(search.map(shift)), replace: joined(replace.map(shift)) };
}

/** Writes tabs for blanks, or blanks for tabs. */
function otherIndent({ text, search, replace }: LineEdit): WrittenEdit | undefined {
  const usesTabs = /^\t/m.test(text);
  const widths = [...text.matchAll(/^ +(?=\S)/gm)].map(([blanks]) => blanks.length);
  const unit = Math.min(...widths.filter((width) => width > 1), 4);
  if (!usesTabs && widths.some((width) => width % unit !== 0)) return undefined;
  const change = (line: string): string => {
    const indent = indentOf(line);
    const other = usesTabs ? indent.replaceAll('\t', '    ') : '\t'.repeat(indent.length / unit);
    return other + line.slice(indent.length);
  };
  return { search: joined(search.map(change)), replace: joined(replace.map(change)) };
}

const errors: Readonly<Record<string, ModelError>> = {
  'no error': ({ search, replace }) => ({ search: joined(search), replace: joined(replace) }),
  'first indentation lost in both': ({ search, replace }) => ({
    search: joined(withoutFirstIndent(search)),
    replace: joined(withoutFirstIndent(replace)),
  }),
  'first indentation lost in search': ({ search, replace }) => ({
    search: joined(withoutFirstIndent(search)),
    replace: joined(replace),
  }),
  'first indentation lost in replace': ({ search, replace }) => ({
    search: joined(search),
    replace: joined(withoutFirstIndent(replace)),
  }),
  'all indentation lost': dedented,
  'indentation drifted': (edit, random) => drifted(edit, random.pick([-2, -1, 1, 2, 4])),
  'tabs for blanks': otherIndent,
  'trailing blanks': ({ search, replace }) => ({
    search: joined(search.map((line) => `${line}  `)),
    replace: joined(replace.map((line) => `${line}  `)),
  }),
  'curly quotes': ({ text, search, replace, expected }) => {
    const straight = (line: string): string => line.replace(/[“”]/g, '"').replace(/[‘’]/g, "'");
    const curly = (line: string): string => line.replace(/"/g, '“').replace(/'/g, '’');
    if (!search.some((line) => replace.includes(line) && curly(line) !== line)) return undefined;
    // The file has curly quotes in the lines that stay.
    const stays = search.filter((line) => replace.includes(line));
    const change = (whole: string): string =>
      whole
        .split('\n')
        .map((line) => (stays.includes(line) ? curly(line) : line))
        .join('\n');
    return {
      text: change(text),
      expected: change(expected),
      search: joined(search.map(straight)),
      replace: joined(replace.map(straight)),
    };
  },
  'line numbers': ({ text, search, replace }, random) => {
    const first = text.slice(0, text.indexOf(joined(search))).split('\n').length;
    const numbered = (lines: readonly string[]): string =>
      joined(lines.map((line, index) => `${first + index}\t${line}`));
    const copies = random.pick([true, false]);
    return { search: numbered(search), replace: copies ? numbered(replace) : joined(replace) };
  },
  'elided lines': ({ search, replace }) => {
    if (search.length < 4) return undefined;
    const elide = (lines: readonly string[]): string =>
      joined([lines[0] ?? '', '// ... existing code ...', lines.at(-1) ?? '']);
    return { search: elide(search), replace: joined(replace), expected: '' };
  },
  'doubled block': ({ text, search, replace }) => ({
    text: `${text}\n${joined(search)}\n`,
    search: joined(search),
    replace: joined(replace),
    expected: '',
  }),
  'blanks within lines': ({ search, replace }) => {
    const doubled = (line: string): string => indentOf(line) + line.trim().replaceAll(' ', '  ');
    const stays = (line: string): string => (search.includes(line) ? doubled(line) : line);
    return { search: joined(search.map(doubled)), replace: joined(replace.map(stays)) };
  },
  'empty lines around': ({ search, replace }) => ({
    search: `\n${joined(search)}\n\n`,
    replace: `\n${joined(replace)}\n\n`,
  }),
};

function isBraced(file: string): boolean {
  return /\.(?:[cm]?[jt]sx?|css|go|rs|java|c|php|swift|kt)$/.test(file);
}

/** Chooses lines of a text that occur once, and changes them as a programmer would. */
function chooseEdit(text: string, file: string, random: Random): LineEdit | undefined {
  const lines = text.split('\n');
  const start = random.integer(0, lines.length - 1);
  const search = lines.slice(start, start + random.integer(1, 6));
  const [first = '', last = ''] = [search[0], search.at(-1)];
  if (first.trim() === '' || last.trim() === '') return undefined;
  if (text.split(joined(search)).length !== 2) return undefined;
  const replace = [...search];
  const at = random.integer(0, replace.length - 1);
  const line = replace[at] ?? '';
  const indent = indentOf(line);
  switch (random.pick(['word', 'word', 'insert', 'insert before', 'remove', 'wrap'])) {
    case 'word': {
      const words = line.match(/[A-Za-z]{3,}/g) ?? [];
      const word = words[random.integer(0, Math.max(0, words.length - 1))];
      if (word === undefined) return undefined;
      replace[at] = line.replace(word, `${word}Renamed`);
      break;
    }
    case 'insert':
      // The next line tells how deep a new one stands there.
      if (indentOf(lines[start + at + 1] ?? '') !== indent || line.trim() === '') return undefined;
      replace.splice(at + 1, 0, `${indent}inserted(${random.integer(1, 99)});`);
      break;
    case 'insert before':
      if (line.trim() === '') return undefined;
      replace.splice(at, 0, `${indent}inserted(${random.integer(1, 99)});`);
      break;
    case 'remove':
      if (replace.length < 2 || replace[at === 0 ? 1 : at - 1]?.trim() === '') return undefined;
      replace.splice(at, 1);
      break;
    case 'wrap': {
      const outer = indentOf(first);
      const isFlat = search.every((other) => other.trim() === '' || other.startsWith(outer));
      if (!isFlat) return undefined;
      const unit = /^\t/m.test(text) ? '\t' : /^ {2}\S/m.test(text) ? '  ' : '    ';
      const deeper = search.map((other) => (other.trim() === '' ? other : unit + other));
      const [head, foot] = isBraced(file)
        ? [`${outer}if (ready) {`, [`${outer}}`]]
        : [`${outer}if ready:`, []];
      replace.splice(0, replace.length, head, ...deeper, ...foot);
      break;
    }
  }
  const expected = [...lines.slice(0, start), ...replace, ...lines.slice(start + search.length)];
  return { text, search, replace, expected: joined(expected) };
}

interface Counts {
  right: number;
  refused: number;
  wrong: number;
}

function play(edit: LineEdit, written: WrittenEdit): keyof Counts {
  try {
    const after = applyEdits(written.text ?? edit.text, [written]);
    return after === (written.expected ?? edit.expected) ? 'right' : 'wrong';
  } catch {
    return 'refused';
  }
}

/**
 * Counts edits that models write with errors which are known of them: right, refused, wrong.
 * `ASIDE_EDITS=wrong` prints those that are wrong.
 */
export function bench(table: Table): Promise<void> {
  const own = patterns.flatMap((pattern) => globSync(pattern, { cwd: projectFolder }).toSorted());
  const languages = globSync('test/bench/languages/*', { cwd: projectFolder }).toSorted();
  const files = [...languages, ...own].slice(0, fileCount);
  const counts = new Map<string, Counts>();
  const random = new Random(20);
  for (const file of files) {
    const text = readFileSync(join(projectFolder, file), 'utf8');
    for (const [name, error] of Object.entries(errors)) {
      const count = counts.get(name) ?? { right: 0, refused: 0, wrong: 0 };
      counts.set(name, count);
      for (let round = 0; round < rounds; round += 1) {
        const edit = chooseEdit(text, file, random);
        if (edit === undefined) continue;
        const written = error(edit, random);
        if (written === undefined || written.search === written.replace) continue;
        const outcome = play(edit, written);
        count[outcome] += 1;
        if (process.env['ASIDE_EDITS'] === outcome)
          console.log(
            `── ${outcome}: ${name}, ${file}\n${written.search}\n→\n${written.replace}\n`,
          );
      }
    }
  }
  let wrong = 0;
  for (const [name, count] of counts) {
    const all = count.right + count.refused + count.wrong;
    console.log(
      `${name}: ${count.right} of ${all} right, ${count.refused} refused, ${count.wrong} wrong`,
    );
    wrong += count.wrong;
  }
  const all = [...counts.values()].reduce(
    (sum, { right, refused }) => sum + right + refused,
    wrong,
  );
  const name = `Edits with errors of models, ${all} in ${files.length} files: written wrong`;
  table.add(figureRow({ name, value: wrong, unit: '', goal: 50 }));
  return Promise.resolve();
}
