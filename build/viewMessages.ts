/**
 * Finds the messages that each script of the view uses. The host gives a page only their
 * translations, and knows them by their marks: the messages themselves would be larger than
 * everything else that loads with a window.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { messageMark } from '../src/core/support/messageMarks.ts';
import { markSalt } from './translations.ts';

const view = join(import.meta.dirname, '..', 'src', 'webview');
const pages = {
  main: join(view, 'main.tsx'),
  tabs: join(view, 'tabs.ts'),
};

const imported = /\b(?:from|import\()\s*'(\.[^']+\.tsx?)'/g;
const message = /\bl10n\.t\(\s*(?:'((?:[^'\\]|\\.)*)'|"((?:[^"\\]|\\.)*)")/g;

/**
 * Marks of each script's messages, joined, as esbuild definitions. One object with all of them
 * would be imported by every module.
 */
export function viewMessages(): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(pages).map(([name, path]) => {
      const marks = [...filesOf(path)].flatMap((file) =>
        messagesIn(file).map((text) => messageMark(text, markSalt)),
      );
      return [`VIEW_MESSAGES.${name}`, JSON.stringify([...new Set(marks)].sort().join(''))];
    }),
  );
}

/** A module and everything that it imports, statically or dynamically. */
function filesOf(path: string, files = new Set<string>()): ReadonlySet<string> {
  if (files.has(path)) return files;
  files.add(path);
  for (const [, other = ''] of readFileSync(path, 'utf8').matchAll(imported)) {
    filesOf(join(path, '..', other), files);
  }
  return files;
}

function messagesIn(path: string): readonly string[] {
  return [...readFileSync(path, 'utf8').matchAll(message)].map(([, single, double]) =>
    (single ?? double ?? '').replace(/\\(.)/g, (_, sign: string) => (sign === 'n' ? '\n' : sign)),
  );
}
