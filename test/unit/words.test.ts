import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import * as z from 'zod/mini';

const root = new URL('../../', import.meta.url);
const bundle = z
  .record(z.string(), z.string())
  .parse(JSON.parse(readFileSync(new URL('l10n/bundle.l10n.json', root), 'utf8')));

/** Text in a call of `l10n.t`, with any of the three quotation marks. */
const call = /\bl10n\.t\(\s*(?:'((?:[^'\\]|\\.)*)'|"((?:[^"\\]|\\.)*)"|`((?:[^`\\]|\\.)*)`)/g;

const manifest = z
  .record(z.string(), z.string())
  .parse(JSON.parse(readFileSync(new URL('package.nls.json', root), 'utf8')));
const texts = [...Object.keys(bundle), ...Object.values(manifest)];

/** Words for things that have another name in the product, with that name. */
const otherWords: readonly (readonly [RegExp, string])[] = [
  [/\bquestions?\b/i, 'message'],
  [/\banswers?\b/i, 'reply'],
  [/\bpictures?\b/i, 'image'],
  [/\bgoes along\b/i, 'attachment, context'],
  [/\bdecisions?\b/i, 'approval'],
  [/\baccounts?\b/i, 'service'],
  [/\bput(?:s|ting)? (?:all |it )?back\b/i, 'include'],
  [/^leave (?:all )?out:|\bleave others out\b/i, 'exclude'],
  [/^left out\b/i, 'excluded'],
  [/\bread along\b/i, 'view only'],
  [/\bthird window\b/i, 'another window'],
  [/\b(?:have no|is \{\d\}) (?:budget )?now\b/i, 'removed, set to'],
  [/\bleft of the\b/i, 'remaining'],
  [/\bcounts? in\b/i, 'is included in'],
  [/\bof which a part\b/i, 'partial'],
  [/\bof them\b/i, 'includes'],
  [/^(?:nothing in|what is)\b/i, 'a noun'],
  [/\bknown of\b|\bwas learned\b|\blearned from\b/i, 'details'],
  [/\bforget\b/i, 'clear'],
  [/\buse (?:these settings|the options) of\b/i, 'from'],
  [/\bplace it\b/i, 'choose location'],
  [/\bisn't an image\b|\bimage isn't\b/i, 'unsupported image format'],
  [/\bpaid from\b/i, 'count toward'],
  [/\bkeys in the\b/i, 'keyboard shortcuts'],
  [/\bno longer pinned\b/i, 'unpinned'],
  [/\brestored to\b/i, 'restored files'],
  [/\bthat fit\b/i, 'outside'],
  [/\bas a whole\b/i, 'partly'],
  [/\bcommands? on code\b/i, 'code command'],
  [/^no results$/i, 'no matching results'],
  [/\b(?:is|are|was|were|did|do|does) not\b(?! only)/i, 'a contraction'],
  [/\bdelete usage\b/i, 'delete token usage'],
];

function unescape(text: string): string {
  return text.replace(/\\(.)/g, (_, sign: string) => (sign === 'n' ? '\n' : sign));
}

describe('displayed texts', () => {
  it('are all in the bundle for translators, which `npm run l10n` updates', () => {
    const files = globSync('src/**/*.{ts,tsx}', { cwd: root });
    const used = files.flatMap((file) => {
      const calls = readFileSync(new URL(file, root), 'utf8').matchAll(call);
      return [...calls].map(([, single, double, back]) => single ?? double ?? back ?? '');
    });
    const said = new Set(used.map(unescape));
    assert.deepEqual([...said].sort(), Object.keys(bundle).sort());
  });

  it('use one word for one thing', () => {
    const wrong = texts.flatMap((text) =>
      otherWords
        .filter(([word]) => word.test(text))
        .map(([, better]) => `${text}: better “${better}”`),
    );
    assert.deepEqual(wrong, []);
  });

  it('are spelled consistently as a sentence, as a title and inside a sentence', () => {
    const spellings = new Map<string, Set<string>>();
    for (const text of texts) {
      const spelling = text.replace(/[.?…]+$/, '');
      const key = `${styleOf(spelling)} ${plain(spelling)}`;
      spellings.set(key, (spellings.get(key) ?? new Set()).add(spelling));
    }
    const different = [...spellings.values()].filter(({ size }) => size > 1);
    assert.deepEqual(
      different.map((some) => [...some].join(' | ')),
      [],
    );
  });
});

type Style = 'word' | 'title' | 'sentence' | 'inside';

/** Capitalization of a text: `Send without Tools` is a title, `Send without tools` a sentence. */
function styleOf(text: string): Style {
  const [first = '', ...others] = text.match(/[A-Za-z][\w']*/g) ?? [];
  if (/^[a-z]/.test(first)) return 'inside';
  if (others.length === 0) return 'word';
  return others.some((word) => /^[A-Z]/.test(word)) ? 'title' : 'sentence';
}

/** A text without differences that happen by accident: capital letters, contractions, punctuation. */
function plain(text: string): string {
  return text
    .toLowerCase()
    .replaceAll('’', "'")
    .replaceAll("can't", 'cannot')
    .replaceAll("n't", ' not')
    .replaceAll(/[^\p{L}\p{N}{}%+']+/gu, ' ')
    .trim();
}
