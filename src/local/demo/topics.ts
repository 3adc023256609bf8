import type { ImageHeader } from '../../core/support/image.ts';
import { fencedCode } from '../../core/support/text.ts';
import type { EndedCall } from './fileTask.ts';
import type { CodeBlock } from './requests.ts';
import type { DemoScript } from './script.ts';
import { fill } from './texts.ts';

const groupBy = `export function groupBy<T>(items: readonly T[], keyOf: (item: T) => string): Map<string, T[]> {
  const groups = new Map<string, T[]>();
  for (const item of items) {
    const group = groups.get(keyOf(item)) ?? [];
    group.push(item);
    groups.set(keyOf(item), group);
  }
  return groups;
}`;

const examples = [
  fencedCode('def greet(name: str) -> str:\n    return f"Hello, {name}!"', 'python'),
  fencedCode('- const answer = 41;\n+ const answer = 42;', 'diff'),
].join('\n\n');

const chart = `xychart-beta
  title "{{title}}"
  x-axis [1, 2, 3, 4, 5, 6, 7]
  y-axis "°C" 10 --> 32
  line [19.0, 21.5, 24.0, 27.5, 30.0, 22.5, 18.5]
  line [12.5, 13.0, 14.5, 16.0, 17.5, 15.0, 12.0]`;

/** The topics of messages; the first one that a message is about is used. */
const topics = [
  'markdown',
  'plan',
  'plot',
  'table',
  'list',
  'code',
  'sample',
  'faults',
  'connect',
  'models',
  'tokens',
  'stop',
  'privacy',
  'selection',
  'options',
  'help',
  'hello',
  'thanks',
] as const;

/** The reply to a message without attachments. */
export function topicReply(question: string, script: DemoScript): string {
  const { texts } = script;
  if (question === '') return texts.topics.empty;
  const long = requestedWords(question, script);
  if (long > 0) return longText(long, script);
  const topic = script.firstSubject(topics, question);
  return topic === undefined ? fallback(question, script) : textOf(topic, script);
}

function textOf(topic: (typeof topics)[number], { texts }: DemoScript): string {
  const { markdown } = texts;
  const code = fill(markdown.code, { code: fencedCode(groupBy, 'ts') });
  const { list, table } = markdown;
  switch (topic) {
    case 'markdown':
      return fill(markdown.all, { code, examples, list, table });
    case 'code':
      return code;
    case 'list':
      return list;
    case 'table':
      return table;
    case 'plot': {
      const plotted = fill(chart, { title: texts.topics.chartTitle });
      return fill(texts.topics.plot, { chart: fencedCode(plotted, 'mermaid') });
    }
    default:
      return texts.topics[topic];
  }
}

/** Requested number of words of a reply; 0 if none is requested. */
function requestedWords(question: string, script: DemoScript): number {
  const count = script.numberOf('words', question);
  if (count !== undefined) return Math.min(20_000, count);
  return script.isAbout('longReply', question) ? 1500 : 0;
}

function fallback(question: string, { texts }: DemoScript): string {
  const [line = ''] = question.split('\n');
  const quoted = line.length > 160 ? `${line.slice(0, 160)}…` : line;
  return `> ${quoted}\n\n${texts.topics.unknown}\n\n${texts.general.disclaimer}`;
}

type AttachedCode = Pick<CodeBlock, 'title' | 'text'>;

export function hasSample(blocks: readonly AttachedCode[], script: DemoScript): boolean {
  return blocks.some(({ title, text }) => script.explanationsOf({ path: title, text }).length > 0);
}

/** The reply to a message with code. */
export function explainCode(blocks: readonly AttachedCode[], script: DemoScript): string {
  const texts = blocks.flatMap(({ title, text }) => script.explanationsOf({ path: title, text }));
  const { otherCode, disclaimer } = script.texts.general;
  if (texts.length === 0) return `${otherCode}\n\n${disclaimer}`;
  return [...new Set(texts)].join('\n\n');
}

/** An explanation of files of the sample that tools read or listed; undefined for other files. */
export function explainResults(
  calls: readonly EndedCall[],
  script: DemoScript,
): string | undefined {
  const texts = calls.flatMap(({ name, arguments: path, result: text }) =>
    name === 'list_files' && ['temperature.ts', 'report.py'].every((file) => text.includes(file))
      ? [script.texts.explanations.project]
      : script.explanationsOf({ path, text }),
  );
  return texts.length === 0 ? undefined : texts.join('\n\n');
}

/** States format and size of images, the only properties that are read. */
export function describeImages(images: readonly ImageHeader[], { texts }: DemoScript): string {
  const { general } = texts;
  const sizes = images.map(({ type, width, height }) => {
    const format = type.slice('image/'.length).toUpperCase();
    return `- ${fill(general.imageSize, { type: format, width, height })}`;
  });
  const count = images.length === 1 ? general.oneImage : general.images;
  const heading = fill(count, { count: images.length });
  return `${heading}\n\n${sizes.join('\n')}\n\n${general.disclaimer}`;
}

const wordsPerSection = 120;

/** Generates sections of plain text with `words` words in total; a heading counts as two. */
function longText(words: number, { texts }: DemoScript): string {
  const all = wordsOf(texts.markdown.long);
  const sections: string[] = [];
  let start = 0;
  for (let remaining = words; remaining > 0; remaining -= wordsPerSection) {
    const count = Math.max(1, Math.min(remaining, wordsPerSection) - 2);
    const text = Array.from({ length: count }, (_, at) => all[(start + at) % all.length]).join('');
    start += wordsPerSection;
    const heading = fill(texts.general.part, { number: sections.length + 1 });
    sections.push(`## ${heading}\n\n${text.trimEnd()}`);
  }
  return sections.join('\n\n');
}

/** The words of sentences, each with the space after it; the characters where there are no spaces. */
function wordsOf(sentences: string): readonly string[] {
  const words = sentences.split('\n').map((sentence) => sentence.split(' '));
  if (words.every(({ length }) => length === 1)) return Array.from(sentences.replaceAll('\n', ''));
  return words.flat().map((word) => `${word} `);
}
