import type { WireMessage } from '../service/wire.ts';
import { editMessages } from './codePrompt.ts';
import { dataBlock } from './dataBlock.ts';

/** A file, and code of a reply that belongs into it. */
export interface CodeToApply {
  readonly path: string;
  /** The editor's id of its language. */
  readonly language: string;
  /** The whole file. */
  readonly text: string;
  readonly code: string;
}

const task =
  'Merge the change below into the file and change nothing else. The change may leave code out, with comments such as "... existing code ..." in its place: that code stays as it is.';

/**
 * The messages of a request that is answered with a whole file, with code of a reply where it
 * belongs in it: for code that no matching finds a place for.
 * @param instructions the person's own, for the system message
 */
export function applyMessages(
  { path, language, text, code }: CodeToApply,
  instructions: string,
): WireMessage[] {
  const file = { path, language, before: '', selected: text, after: '', firstLine: 1 };
  const change = dataBlock('The change', code, language);
  return editMessages(file, `${task}\n\n${change}`, instructions);
}
