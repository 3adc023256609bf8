/**
 * The translations as a build has them. The English texts would be half of each bundle, so a bundle is
 * the texts of its language, one after the other, and the scripts know the order by a short mark of each
 * message. Sources call VS Code's `l10n` and `@vscode/l10n`, and the build puts a module in between
 * that looks for the mark of a message.
 */
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { globSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import type { Plugin } from 'esbuild';
import * as z from 'zod/mini';
import { packTexts, messageMark } from '../src/core/support/messageMarks.ts';

const texts = z.record(z.string(), z.string());
const root = join(import.meta.dirname, '..');

/** About every tenth salt fits while there are a thousand messages. */
const maxSalt = 2000;

const english = readFileSync(join(root, 'l10n', 'bundle.l10n.json'), 'utf8');
const messages = similarTogether(Object.keys(texts.parse(JSON.parse(english))));

/** The first salt with which all English messages have different marks. */
function findSalt(): number {
  for (let salt = 0; salt < maxSalt; salt += 1)
    if (new Set(messages.map((text) => messageMark(text, salt))).size === messages.length)
      return salt;
  throw new Error('Two messages have the same mark with every salt: make the marks longer.');
}

export const markSalt = findSalt();

/** The marks of all messages, in the order of the texts of a packaged bundle. */
export const messageMarks = messages.map((message) => messageMark(message, markSalt)).join('');

/**
 * Each message followed by the one, of those that remain, with which it has most words in common. Compressed,
 * a bundle in this order has three percent less.
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
    let most = -1;
    message = undefined;
    for (const [candidate, others] of remaining) {
      const common = words.filter((word) => others.has(word)).length / Math.sqrt(others.size || 1);
      if (common > most) [most, message] = [common, candidate];
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

/** Writes the bundle of each language, as VS Code reads it, and what the demo says in it. */
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

/** A source that takes its `l10n` from the module in between instead of from VS Code. */
export function withMarkedL10n(source: string): string {
  return source
    .replaceAll(/\bvscode\.l10n\b/g, 'markedL10n')
    .replaceAll(
      /const \{([^}]*)\bl10n\b(?:, )?([^}]*)\} = vscode;/g,
      'const {$1$2} = vscode, l10n = markedL10n;',
    );
}

/** The messages of the host are looked for by their marks. */
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

/** The messages of the view are looked for by their marks. */
export const markedView: Plugin = {
  name: 'marked-view',
  setup(build) {
    const path = join(import.meta.dirname, 'markedView.ts');
    build.onResolve({ filter: /^@vscode\/l10n$/ }, ({ importer }) =>
      importer === path ? undefined : { path },
    );
  },
};
