import { readFileSync } from 'node:fs';
import * as z from 'zod/mini';
import { readSource, sourceFiles } from './sourceFiles.ts';

const root = new URL('../../', import.meta.url);
const texts = z.record(z.string(), z.string());

/** The display languages that Aside has, as VS Code's language packs name them. */
export const languages = ['de', 'fr', 'es', 'pt-br', 'ru', 'ja', 'ko', 'zh-cn', 'zh-tw'] as const;
export type Language = (typeof languages)[number];

/** Texts by their keys. */
export type Texts = Readonly<Record<string, string>>;

/** The texts of a JSON file of the project. */
function readTexts(path: string): Texts {
  return texts.parse(JSON.parse(readFileSync(new URL(path, root), 'utf8')));
}

/** The messages of `l10n.t` and what `package.json` names, in English. */
export const english = {
  messages: readTexts('l10n/bundle.l10n.json'),
  manifest: readTexts('package.nls.json'),
};

/** The same in another language. */
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

/** Every text with its translation; those without one are left out. */
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
/** A variable gets a name for what is too long for a line. */
const countedCalls = new RegExp(
  String.raw`(?:\b(?:counted|countText)\(\s*|\b(?:many: |const several = ))${call}`,
  'g',
);

/** What `l10n.t` is called with in a source. */
export function messagesIn(text: string): readonly string[] {
  return literalsOf(text, new RegExp(String.raw`\bl10n\.t\(\s*${literal}`, 'g'));
}

/** The messages whose form `counted` chooses by a number: only these may have several forms. */
export function countedIn(text: string): readonly string[] {
  return literalsOf(text, countedCalls);
}

function literalsOf(text: string, pattern: RegExp): readonly string[] {
  return [...text.matchAll(pattern)].map(([, single, double]) =>
    (single ?? double ?? '').replace(/\\(.)/g, (_, sign: string) => (sign === 'n' ? '\n' : sign)),
  );
}

/** The same in all sources. */
export const countedMessages: ReadonlySet<string> = new Set(
  sourceFiles.flatMap((file) => countedIn(readSource(file))),
);
