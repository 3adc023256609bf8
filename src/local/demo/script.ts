import { fencedCode } from '../../core/support/text.ts';
import { createSample, sampleParts, type Sample, type SampleChange } from './sample.ts';
import { englishTexts, fill, translatedTexts, type DemoTexts } from './texts.ts';

interface CodeOfFile {
  /** The path of the file, or a label with it. */
  readonly path: string;
  readonly text: string;
  readonly before?: string;
}

type Subject = keyof DemoTexts['matches'];

/** Texts, patterns and knowledge of the demo in one language. */
export class DemoScript {
  readonly texts: DemoTexts;
  readonly sample: Sample;

  constructor(texts: DemoTexts = translatedTexts()) {
    this.texts = texts;
    this.sample = createSample(texts.comments);
  }

  /** True if a message is about a subject, in the language of the script or in English. */
  isAbout(subject: Subject, message: string): boolean {
    return this.firstSubject([subject], message) !== undefined;
  }

  /** The first subject that a message is about, by words of the language, then by English ones. */
  firstSubject<S extends Subject>(subjects: readonly S[], message: string): S | undefined {
    return [this.texts, englishTexts]
      .map(({ matches }) =>
        subjects.find((subject) => new RegExp(matches[subject], 'iu').test(message)),
      )
      .find((subject) => subject !== undefined);
  }

  /** The number in front of such words in a message, for example of `3 times`. */
  numberOf(subject: 'words' | 'times', message: string): number | undefined {
    return [this.texts, englishTexts]
      .map(({ matches }) => {
        const number = String.raw`(?<!\d)(\d{1,3}(?:[.,\s]?\d{3}){0,4}|\d+)`;
        const pattern = new RegExp(String.raw`${number}[\s-]?(?:${matches[subject]})`, 'iu');
        return pattern.exec(message)?.[1];
      })
      .flatMap((digits) => (digits === undefined ? [] : [Number(digits.replace(/\D/g, ''))]))
      .at(0);
  }

  /** Explanations of the sample's code; empty for other code. */
  explanationsOf({ path, text }: CodeOfFile): readonly string[] {
    return sampleParts
      .filter(({ file, mark }) => isSampleFile(path, file) && text.includes(mark))
      .map(({ explanation }) =>
        fill(this.texts.explanations[explanation], examplesOf(explanation)),
      );
  }

  /** The changes of a task that the code has not had yet, and that fit its text as it is. */
  changesOf({ path, text, before = '' }: CodeOfFile, task: string): readonly SampleChange[] {
    return this.sample.changes.filter((change) => {
      if (change.task !== task || !isSampleFile(path, change.file)) return false;
      const lines = withoutReturns(text);
      const at = startOf(lines, change.search);
      if (at === undefined || lines.includes(change.replace)) return false;
      const lineAbove = (withoutReturns(before).replace(/\n?$/, '\n') + lines.slice(0, at))
        .split('\n')
        .at(-2);
      return task !== 'document' || !/\*\/\s*$|^\s*\/\//.test(lineAbove ?? '');
    });
  }
}

const formulas: Readonly<Record<string, string>> = {
  toFahrenheit: String.raw`$$F = \frac{9}{5} \, C + 32$$`,
  average: String.raw`$$\bar{T} = \frac{1}{n} \sum_{i=1}^{n} T_i$$`,
  spread: String.raw`$$\Delta T = T_{max} - T_{min}$$`,
};

const exampleReport = `station        low  high
harbour        3.5  11.0
hill          -1.0   6.5`;

/** Examples that an explanation shows beside its words. */
function examplesOf(explanation: string): Readonly<Record<string, string>> {
  return { formula: formulas[explanation] ?? '', example: fencedCode(exampleReport, 'text') };
}

/** True if a path or a label means a file of the sample, in whatever folder the sample is. */
export function isSampleFile(path: string, file: string): boolean {
  const name = file.slice(file.lastIndexOf('/') + 1);
  return path.split(/[^\w.-]+/).includes(name);
}

/** The text after the changes, with its line endings. */
export function withChanges(text: string, changes: readonly SampleChange[]): string {
  const lines = changes.reduce((changed, { search, replace }) => {
    const at = startOf(changed, search);
    if (at === undefined) return changed;
    return changed.slice(0, at) + replace + changed.slice(at + search.length);
  }, withoutReturns(text));
  return text.includes('\r\n') ? lines.replaceAll('\n', '\r\n') : lines;
}

/** The offset of whole lines that occur once in a text. */
function startOf(text: string, search: string): number | undefined {
  const all = `\n${text}\n`;
  const at = all.indexOf(`\n${search}\n`);
  return at < 0 || at !== all.lastIndexOf(`\n${search}\n`) ? undefined : at;
}

function withoutReturns(text: string): string {
  return text.replaceAll('\r\n', '\n');
}
