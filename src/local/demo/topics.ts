import type { ImageHeader } from '../../core/support/image.ts';
import type { EndedCall } from './fileTask.ts';
import { explanationsOf } from './match.ts';
import type { CodeBlock } from './requests.ts';
import {
  demoDisclaimer,
  explanationTexts,
  longSentences,
  markdownTexts,
  otherCodeText,
  topicTexts,
} from './texts.ts';

/** The first topic that matches is used. */
const topics: readonly (readonly [pattern: RegExp, text: string])[] = [
  [/\bmarkdown\b/i, markdownTexts.all],
  [/\bplan\b/i, topicTexts.plan],
  [/\b(?:plot|chart|diagram)\b/i, topicTexts.plot],
  [/\btable\b/i, markdownTexts.table],
  [/\b(?:bullet|numbered|a|to-?do) list\b|\bas (?:a )?list\b|\bsteps\b/i, markdownTexts.list],
  [/\b(?:write|show|give)\b.*\b(?:code|function|program|script|example)\b/i, markdownTexts.code],
  [/\bsample\b/i, topicTexts.sample],
  [/\bfaults?\b|\berrors?\b.*\b(?:try|test|show)\b/i, topicTexts.faults],
  [/\b(?:api )?keys?\b|\bconnect\b|\bsign in\b|\bset ?up\b/i, topicTexts.connect],
  [/\bmodels?\b/i, topicTexts.models],
  [/\btokens?\b|\bcosts?\b|\bprices?\b|\bbudget\b|\busage\b|\bcached?\b/i, topicTexts.tokens],
  [/\bstop\b|\bcancel\b|\bcontinue\b/i, topicTexts.stop],
  [/\bprivacy\b|\bprivate\b|\bsecure\b|\bsafe\b|\bsend\b.*\bdata\b/i, topicTexts.privacy],
  [
    /\bselect(?:ion|ed)?\b|\battach|\bmy code\b|\bthis (?:file|code|function)\b|\bexplain\b/i,
    topicTexts.selection,
  ],
  [
    /\btemperature\b|\btop_?p\b|\bmax_?tokens\b|\boptions?\b|\bjson\b|\bsettings?\b/i,
    topicTexts.options,
  ],
  [
    /\bwhat (?:can|do|does|is|are)\b.*\b(?:you|aside|this|it)\b|\bhelp\b|\bwho are you\b|\bfeatures?\b/i,
    topicTexts.help,
  ],
  [/^\W*(?:hello|hi|hey|good (?:morning|evening|afternoon))\b/i, topicTexts.hello],
  [/\bthank/i, topicTexts.thanks],
];

/** The reply to a message without attachments. */
export function topicReply(question: string): string {
  if (question === '') return topicTexts.empty;
  const long = requestedWords(question);
  if (long > 0) return longText(long);
  const [, text] = topics.find(([pattern]) => pattern.test(question)) ?? [];
  return text ?? fallback(question);
}

/** Requested number of words of a reply; 0 if none is given. */
function requestedWords(question: string): number {
  const count = /\b(\d{1,3}(?:[, ]?\d{3}){0,4}|\d+) words\b/i.exec(question)?.[1];
  if (count !== undefined) return Math.min(20_000, Number(count.replace(/[, ]/g, '')));
  return /\blong (?:reply|answer|text|story|essay)\b|^\W*long\W*$/i.test(question) ? 1500 : 0;
}

function fallback(question: string): string {
  const [line = ''] = question.split('\n');
  const quoted = line.length > 160 ? `${line.slice(0, 160)}…` : line;
  return `> ${quoted}\n\n${topicTexts.unknown}\n\n${demoDisclaimer}`;
}

/** Code that is attached to a message. */
type AttachedCode = Pick<CodeBlock, 'title' | 'text'>;

/** Whether some of the code is of the sample. */
export function hasSample(blocks: readonly AttachedCode[]): boolean {
  return blocks.some(({ title, text }) => explanationsOf({ path: title, text }).length > 0);
}

/** The reply to a message with code. */
export function explainCode(blocks: readonly AttachedCode[]): string {
  const texts = blocks.flatMap(({ title, text }) => explanationsOf({ path: title, text }));
  if (texts.length === 0) return `${otherCodeText}\n\n${demoDisclaimer}`;
  return [...new Set(texts)].join('\n\n');
}

/** An explanation of files of the sample that tools read or listed; undefined for other files. */
export function explainResults(calls: readonly EndedCall[]): string | undefined {
  const texts = calls.flatMap(({ name, arguments: path, result: text }) =>
    name === 'list_files' && ['temperature.ts', 'report.py'].every((file) => text.includes(file))
      ? [explanationTexts.project]
      : explanationsOf({ path, text }),
  );
  return texts.length === 0 ? undefined : texts.join('\n\n');
}

/** States format and size of images, the only properties that are read. */
export function describeImages(images: readonly ImageHeader[]): string {
  const sizes = images.map(
    ({ type, width, height }) =>
      `- ${type.slice('image/'.length).toUpperCase()}, ${width} × ${height} pixels`,
  );
  const count = images.length === 1 ? '1 image' : `${images.length} images`;
  return `I see ${count}:\n\n${sizes.join('\n')}\n\n${demoDisclaimer}`;
}

const wordsPerSection = 120;

/** Generates sections of plain text with `words` words in total; a heading counts as two. */
function longText(words: number): string {
  const sections: string[] = [];
  let start = 0;
  for (let remaining = words; remaining > 0; remaining -= wordsPerSection) {
    const text = takeWords(Math.max(1, Math.min(remaining, wordsPerSection) - 2), start);
    start += wordsPerSection;
    sections.push(`## Part ${sections.length + 1}\n\n${text}`);
  }
  return sections.join('\n\n');
}

const allWords = longSentences.join(' ').split(' ');

function takeWords(count: number, from: number): string {
  const words = Array.from({ length: count }, (_, at) => allWords[(from + at) % allWords.length]);
  return words.join(' ');
}
