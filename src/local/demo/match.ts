import { sampleChanges, sampleParts, type SampleChange } from './sample.ts';
import { explanationTexts } from './texts.ts';

/** Code of a file, as a request has it. */
interface CodeOfFile {
  /** The path of the file, or a label with it. */
  readonly path: string;
  readonly text: string;
  /** The code of the file before the text. */
  readonly before?: string;
}

/** Whether a path or a label means a file of the sample, in whatever folder the sample is. */
export function isSampleFile(path: string, file: string): boolean {
  const name = file.slice(file.lastIndexOf('/') + 1);
  return path.split(/[^\w.-]+/).includes(name);
}

/** What there is to say about code of the sample; nothing about other code. */
export function explanationsOf({ path, text }: CodeOfFile): readonly string[] {
  return sampleParts
    .filter(({ file, mark }) => isSampleFile(path, file) && text.includes(mark))
    .map(({ explanation }) => explanationTexts[explanation]);
}

/** The changes of a task that the code has not had yet, and that fit its text as it is. */
export function changesOf(
  { path, text, before = '' }: CodeOfFile,
  task: string,
): readonly SampleChange[] {
  return sampleChanges.filter((change) => {
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

/** The text after the changes, with its own line ends. */
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
