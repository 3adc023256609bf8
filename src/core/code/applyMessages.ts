import type { WireMessage } from '../service/wire.ts';
import { editMessages } from './codePrompt.ts';

/** A file, and code of a reply that belongs into it. */
export interface CodeToApply {
  readonly path: string;
  readonly language: string;
  /** The whole file. */
  readonly text: string;
  readonly code: string;
}

/** A line that code hardly ever has. */
const mark = '~~~~~~~~~~';

/** Messages for a request that is answered with the whole file, with the code where it belongs. */
export function applyMessages(
  { path, language, text, code }: CodeToApply,
  instructions: string,
): WireMessage[] {
  const instruction = [
    'Merge the change between the two marks into this file. It may be a part of the file, with comments that stand for what stays as it is. Change nothing else, and answer with the whole file.',
    `${mark}\n${code}\n${mark}`,
  ].join('\n');
  const file = { path, language, before: '', selected: text, after: '', firstLine: 1 };
  return editMessages(file, instruction, instructions);
}
