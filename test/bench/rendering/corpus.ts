import { codeBlock, longCodeBlock } from './code.ts';
import { Random } from './random.ts';
import { name, noun, paragraph, sentence } from './words.ts';

/** Kilobytes of the three replies. */
export type Size = 8 | 100 | 500;

/** Characters of a section with one code block. */
const sectionLength = 2600;

/**
 * A reply that is the same in every run: headings, paragraphs with inline syntax, lists, code in
 * nine languages, and tables. The one of 500 KB also contains the worst cases: a code block of
 * 3,000 lines, a table of 500 rows, a deeply nested list of 17 KB, and a paragraph of 27 KB.
 */
export function reply(size: Size): string {
  const random = new Random(size);
  const parts: string[] = [];
  const extremes = size === 500 ? extremeParts(random) : [];
  const regular = size * 1000 - extremes.join('').length;
  const sections = Math.round(regular / sectionLength);
  for (let index = 0; index < sections; index++) {
    parts.push(section(random, index));
    const every = Math.ceil(sections / (extremes.length + 1));
    if (index % every === every - 1) parts.push(extremes.shift() ?? '');
  }
  return parts.join('\n');
}

/** Splits a text like a service: into chunks of 4 to 20 characters. */
export function cut(text: string): string[] {
  const random = new Random(text.length);
  const chunks: string[] = [];
  for (let start = 0; start < text.length;) {
    const end = start + random.integer(4, 20);
    chunks.push(text.slice(start, end));
    start = end;
  }
  return chunks;
}

function section(random: Random, index: number): string {
  const parts = [`## ${sentence(random, 3)}\n`, `${paragraph(random, 400)}\n`];
  parts.push(list(random, index % 3 === 0 ? 2 : 0, random.integer(3, 6)));
  if (index % 4 === 1) parts.push(table(random, random.integer(4, 8)));
  if (index % 5 === 2) parts.push(`> ${paragraph(random, 160)}\n`);
  parts.push(`${sentence(random)}\n`);
  const code = sectionLength - parts.join('\n').length - 300;
  parts.push(codeOf(random, code), `${paragraph(random, 250)}\n`);
  return parts.join('\n');
}

/** Code of approximately this length, with 34 characters per line. */
function codeOf(random: Random, length: number): string {
  return codeBlock(random, Math.max(6, Math.round(length / 34)));
}

function extremeParts(random: Random): string[] {
  return [
    longCodeBlock(random, 3000),
    table(random, 500),
    list(random, 5, 160),
    `${paragraph(random, 27_000)}\n`,
  ];
}

/** A list with items up to this depth. */
function list(random: Random, depth: number, items: number): string {
  const lines: string[] = [];
  let level = 0;
  for (let index = 0; index < items; index++) {
    lines.push(`${'  '.repeat(level)}- ${sentence(random)}`);
    level = Math.min(depth, Math.max(0, level + random.integer(-1, 1)));
  }
  return `${lines.join('\n')}\n`;
}

function table(random: Random, rows: number): string {
  const head = ['| name | kind | limit | meaning |', '|---|:-:|--:|---|'];
  const body = Array.from({ length: rows }, () => {
    const limit = random.integer(1, 90_000);
    return `| \`${name(random)}\` | ${noun(random)} | ${limit} | ${sentence(random, 3)} |`;
  });
  return `${[...head, ...body].join('\n')}\n`;
}
