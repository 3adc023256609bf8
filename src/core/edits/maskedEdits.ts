import { maskSecrets, masksIn, unmaskSecrets } from '../support/secretTokens.ts';
import { ToolError } from '../support/toolError.ts';
import { applyEdits } from './applyEdits.ts';
import type { SearchReplace } from './fitReplacement.ts';

/**
 * Applies edits to the text that the model has seen, with secrets masked, and restores the secrets:
 * edits around a secret preserve it, and none can be guessed by searching for its parts.
 *
 * @throws {ToolError} if an edit does not match, or writes a mask that matches no secret of the
 * file
 */
export function applyMaskedEdits(text: string, edits: readonly SearchReplace[]): string {
  const maskedFile = maskSecrets(text);
  if (maskedFile.isAmbiguous) {
    throw new ToolError(
      'Masked parts of this file cannot be told apart. Ask the person to edit it.',
    );
  }
  const masked = edits.map((edit) => ({ ...edit, search: maskSecrets(edit.search).text }));
  const edited = applyEdits(maskedFile.text, masked);
  const after = unmaskSecrets(edited, maskedFile);
  refuseMasks(after, text);
  return after;
}

/**
 * Restores the secrets of a file in code that a model wrote for it.
 *
 * @param file text of the file; empty for a new one
 * @returns undefined if a mask matches no secret of the file
 */
export function restoreMasks(written: string, file: string): string | undefined {
  if (masksIn(written).length === 0) return written;
  const maskedFile = maskSecrets(file);
  const restored = maskedFile.isAmbiguous ? written : unmaskSecrets(written, maskedFile);
  return masksIn(restored).every((mask) => file.includes(mask)) ? restored : undefined;
}

/**
 * Refuses a text with masks that the file did not contain before.
 *
 * @param before the text of the file; empty for a new one
 * @throws {ToolError} if the text has other masks
 */
export function refuseMasks(text: string, before: string): void {
  const unknown = masksIn(text).find((mask) => !before.includes(mask));
  if (unknown === undefined) return;
  throw new ToolError(
    `${unknown} stands for a secret that this file does not have, or not any more. Nothing was written. Leave it out, or read the file again.`,
  );
}
