import type { Random } from './random.ts';

const nouns = [
  ...(['request', 'buffer', 'window', 'session', 'record', 'worker', 'cursor', 'index'] as const),
  ...(['parser', 'stream', 'budget', 'handler', 'ledger', 'signal', 'channel', 'column'] as const),
] as const;
const verbs = [
  ...(['read', 'write', 'merge', 'render', 'split', 'collect', 'resolve', 'measure'] as const),
  ...(['flush', 'validate', 'schedule', 'append', 'release', 'compare'] as const),
] as const;
const fillers = [
  ...(['the', 'a', 'every', 'this', 'and', 'when', 'before', 'after', 'only', 'with'] as const),
  ...(['without', 'because', 'so that', 'which', 'that', 'in', 'of', 'to', 'is', 'are'] as const),
] as const;

export function noun(random: Random): string {
  return random.pick(nouns);
}

export function verb(random: Random): string {
  return random.pick(verbs);
}

/** A variable name: `readBuffer`. */
export function name(random: Random): string {
  const word = noun(random);
  return verb(random) + word.charAt(0).toUpperCase() + word.slice(1);
}

/** A type name: `SessionIndex`. */
export function typeName(random: Random): string {
  return [noun(random), noun(random)]
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1))
    .join('');
}

function phrase(random: Random): string {
  return `${random.pick(fillers)} ${random.pick([noun, verb])(random)}`;
}

/** A phrase, one in nine with inline syntax. */
function piece(random: Random): string {
  switch (random.integer(0, 26)) {
    case 0:
      return `**${phrase(random)}**`;
    case 1:
      return `\`${name(random)}()\``;
    case 2:
      return `[${phrase(random)}](https://example.com/docs/${noun(random)})`;
    case 3:
      return `*${phrase(random)}*`;
    default:
      return phrase(random);
  }
}

export function sentence(random: Random, pieces: number = random.integer(4, 10)): string {
  return sentenceOf(Array.from({ length: pieces }, () => piece(random)));
}

/** A sentence without syntax, for a code comment. */
export function plainSentence(random: Random, phrases: number): string {
  return sentenceOf(Array.from({ length: phrases }, () => phrase(random)));
}

function sentenceOf(pieces: readonly string[]): string {
  const text = pieces.join(' ');
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}.`;
}

/** One line of approximately this many characters. */
export function paragraph(random: Random, length: number): string {
  let text = sentence(random);
  while (text.length < length) text += ` ${sentence(random)}`;
  return text;
}
