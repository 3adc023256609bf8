/**
 * Packs the translations. English texts would be half of each bundle, so a packed bundle is an
 * array of translated texts, and the scripts know their order by short marks of the messages. The
 * build replaces VS Code's `l10n` and `@vscode/l10n` by modules that look up messages by mark.
 */
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { globSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import type { Plugin } from 'esbuild';
import * as z from 'zod/mini';
import { packTexts, messageMark } from '../src/core/support/messageMarks.ts';

const texts = z.record(z.string(), z.string());
const root = join(import.meta.dirname, '..');

/** With a thousand messages, about one in ten salts has no collision. */
const maxSalt = 2000;

const english = readFileSync(join(root, 'l10n', 'bundle.l10n.json'), 'utf8');
const messages = similarTogether(Object.keys(texts.parse(JSON.parse(english))));

/** First salt with which no two English messages have the same mark. */
function findSalt(): number {
  for (let salt = 0; salt < maxSalt; salt += 1)
    if (new Set(messages.map((text) => messageMark(text, salt))).size === messages.length)
      return salt;
  throw new Error('Two messages have the same mark with every salt: make the marks longer.');
}

export const markSalt = findSalt();

/** Marks of all messages, in the order of the texts in a packed bundle. */
export const messageMarks = messages.map((message) => messageMark(message, markSalt)).join('');

/**
 * Sorts messages so that each is followed by the remaining one with the most words in common. A
 * bundle in this order compresses three percent better.
 */
function similarTogether(unsorted: readonly string[]): readonly string[] {
  const wordsOf = (message: string): ReadonlySet<string> =>
    new Set(message.toLowerCase().match(/[\p{L}\d{}]+/gu));
  const remaining = new Map(unsorted.map((message) => [message, wordsOf(message)]));
  const sorted: string[] = [];
  for (let message = unsorted[0]; message !== undefined;) {
    const words = [...(remaining.get(message) ?? [])];
    sorted.push(message);
    remaining.delete(message);
    let highest = -1;
    message = undefined;
    for (const [candidate, others] of remaining) {
      const common = words.filter((word) => others.has(word)).length / Math.sqrt(others.size || 1);
      if (common > highest) [highest, message] = [common, candidate];
    }
  }
  return sorted;
}

/** Translations by the marks of their messages. */
export function markedTexts(
  translations: Readonly<Record<string, string>>,
): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(translations).map(([message, text]) => [messageMark(message, markSalt), text]),
  );
}

/** Writes the bundle of each language in VS Code's format, and the translated replies of the demo. */
export async function writeTranslations(folder: string): Promise<void> {
  await mkdir(folder, { recursive: true });
  for (const file of globSync('l10n/bundle.l10n.*.json', { cwd: root })) {
    if (basename(file) === 'bundle.l10n.json') continue;
    const translations = texts.parse(JSON.parse(await readFile(join(root, file), 'utf8')));
    const joined = packTexts(messages.map((message) => translations[message]));
    await writeFile(join(folder, basename(file)), JSON.stringify({ texts: joined }));
  }
  for (const file of globSync('l10n/demo.*.json', { cwd: root })) {
    const demo: unknown = JSON.parse(await readFile(join(root, file), 'utf8'));
    await writeFile(join(folder, basename(file)), JSON.stringify(demo));
  }
}

/** Replaces VS Code's `l10n` in a source by `markedL10n`. */
export function withMarkedL10n(source: string): string {
  return source
    .replaceAll(/\bvscode\.l10n\b/g, 'markedL10n')
    .replaceAll(
      /const \{([^}]*)\bl10n\b(?:, )?([^}]*)\} = vscode;/g,
      'const {$1$2} = vscode, l10n = markedL10n;',
    );
}

/** Makes the host look up messages by mark. */
export const markedHost: Plugin = {
  name: 'marked-host',
  setup(build) {
    const from = JSON.stringify(join(import.meta.dirname, 'markedHost.ts'));
    build.onLoad({ filter: /[\\/]src[\\/].*\.ts$/ }, async ({ path }) => {
      const text = await readFile(path, 'utf8');
      const marked = withMarkedL10n(text);
      if (marked === text) return undefined;
      return { contents: `${marked}\nimport { markedL10n } from ${from};\n`, loader: 'ts' };
    });
  },
};

/** Makes the view look up messages by mark. */
export const markedView: Plugin = {
  name: 'marked-view',
  setup(build) {
    const path = join(import.meta.dirname, 'markedView.ts');
    build.onResolve({ filter: /^@vscode\/l10n$/ }, ({ importer }) =>
      importer === path ? undefined : { path },
    );
  },
};
