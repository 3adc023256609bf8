import { findSecretToken, maskDiff, maskSecrets } from '../support/secretTokens.ts';
import type { Target } from '../workspace/places.ts';
import { hasSecretName, isSecret, mayBeKey } from './secrets.ts';

/** A file's text that may leave the machine without confirmation. */
export interface OutgoingText {
  readonly text: string;
  /**
   * True if the person allowed the file although it may contain secrets. Then nothing is masked.
   */
  readonly isAllowed: boolean;
}

/** Number of characters at the start of a text that identify a key. */
const headLength = 256;

/**
 * The text of a file that passed the gate, with likely secrets masked. Files that are secret by
 * name, or keys, pass only if the person allowed them, and aren't masked.
 */
export function outgoingText(
  text: string,
  target: Pick<Target, 'named' | 'location' | 'kind'>,
): OutgoingText {
  const head = new TextEncoder().encode(text.slice(0, headLength));
  if (isSecret(target, head)) return { text, isAllowed: true };
  return { text: maskSecrets(text).text, isAllowed: false };
}

/** The reason why sending a part of a file, such as its diff, needs a confirmation. */
export type OutgoingDoubt =
  | { readonly by: 'name' }
  /** Kind of secret that the text seems to contain. */
  | { readonly by: 'token'; readonly kind: string };

/**
 * Checks a part of a file that the person is about to send: an attachment, a diff, a commit
 * message.
 *
 * @param paths all names of the file, including earlier ones
 * @returns undefined if no confirmation is needed
 */
export function outgoingDoubt(text: string, paths: readonly string[]): OutgoingDoubt | undefined {
  if (paths.some((path) => hasSecretName(path) || mayBeKey(path))) return { by: 'name' };
  const kind = findSecretToken(text) ?? (maskDiff(text) === text ? undefined : 'private key');
  return kind === undefined ? undefined : { by: 'token', kind };
}
