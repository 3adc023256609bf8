import { readFileSync } from 'node:fs';
import * as z from 'zod/mini';
import { readSource, sourceFiles } from './sourceFiles.ts';

const root = new URL('../../', import.meta.url);
const texts = z.record(z.string(), z.string());

/** Aside's display languages, by the names of VS Code's language packs. */
export const languages = ['de', 'fr', 'es', 'pt-br', 'ru', 'ja', 'ko', 'zh-cn', 'zh-tw'] as const;
export type Language = (typeof languages)[number];

/** Texts by key. */
export type Texts = Readonly<Record<string, string>>;

function readTexts(path: string): Texts {
  return texts.parse(JSON.parse(readFileSync(new URL(path, root), 'utf8')));
}

/** English messages of `l10n.t`, and texts of `package.json`. */
export const english = {
  messages: readTexts('l10n/bundle.l10n.json'),
  manifest: readTexts('package.nls.json'),
};

/** The same texts in another language. */
export function translated(language: Language): typeof english {
  return {
    messages: readTexts(`l10n/bundle.l10n.${language}.json`),
    manifest: readTexts(`package.nls.${language}.json`),
  };
}

/** A text and its translation. The key of a message is the message itself. */
export interface Pair {
  readonly key: string;
  readonly from: string;
  readonly to: string;
}

/** Every translated text with its translation. */
export function pairsOf(language: Language): readonly Pair[] {
  const { messages, manifest } = translated(language);
  return [
    ...Object.entries(messages).map(([key, to]) => ({ key, from: key, to })),
    ...Object.entries(manifest).map(([key, to]) => ({
      key,
      from: english.manifest[key] ?? '',
      to,
    })),
  ].filter(({ from }) => from !== '');
}

const literal = String.raw`(?:'((?:[^'\\]|\\.)*)'|"((?:[^"\\]|\\.)*)")`;
const call = String.raw`(?:vscode\.)?l10n\.t\(\s*${literal}`;
/** Messages that are too long for one line are assigned to `many` or `several` first. */
const countedCalls = new RegExp(
  String.raw`(?:\b(?:counted|countText)\(\s*|\b(?:many: |const several = ))${call}`,
  'g',
);

/** Messages passed to `l10n.t` in a source. */
export function messagesIn(text: string): readonly string[] {
  return literalsOf(text, new RegExp(String.raw`\bl10n\.t\(\s*${literal}`, 'g'));
}

/** Messages whose plural form `counted` selects. Only these may have several forms. */
export function countedIn(text: string): readonly string[] {
  return literalsOf(text, countedCalls);
}

function literalsOf(text: string, pattern: RegExp): readonly string[] {
  return [...text.matchAll(pattern)].map(([, single, double]) =>
    (single ?? double ?? '').replace(/\\(.)/g, (_, sign: string) => (sign === 'n' ? '\n' : sign)),
  );
}

/** Messages with plural forms in all sources. */
export const countedMessages: ReadonlySet<string> = new Set(
  sourceFiles.flatMap((file) => countedIn(readSource(file))),
);
