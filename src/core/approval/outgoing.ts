import { findSecretToken, maskDiff, maskSecrets } from '../support/secretTokens.ts';
import type { Target } from '../workspace/places.ts';
import { hasSecretName, isSecret, mayBeKey } from './secrets.ts';

/** The text of a file, as it may leave the machine without a confirmation. */
export interface OutgoingText {
  readonly text: string;
  /** True if the person allowed the file although it may contain secrets, so that none is masked. */
  readonly isAllowed: boolean;
}

/** Number of characters at the beginning of a text that show whether it is a key. */
const headLength = 256;

/**
 * The text of a file that passed the gate, with what looks like a secret masked. Files that are
 * secret by their names, or as keys, only pass if the person allowed them: these stay whole.
 */
export function outgoingText(
  text: string,
  target: Pick<Target, 'named' | 'location' | 'kind'>,
): OutgoingText {
  const head = new TextEncoder().encode(text.slice(0, headLength));
  if (isSecret(target, head)) return { text, isAllowed: true };
  return { text: maskSecrets(text).text, isAllowed: false };
}

/** The reason why a part of a file, such as its diff, needs a confirmation to be sent. */
export type OutgoingDoubt =
  | { readonly by: 'name' }
  /** The kind of secret that its text seems to contain. */
  | { readonly by: 'token'; readonly kind: string };

/**
 * Checks a part of a file before it is sent by a gesture of the person: an attachment, a diff, a
 * commit message.
 *
 * @param paths all names of the file, also those that it had before
 * @returns undefined if it may be sent without a confirmation
 */
export function outgoingDoubt(text: string, paths: readonly string[]): OutgoingDoubt | undefined {
  if (paths.some((path) => hasSecretName(path) || mayBeKey(path))) return { by: 'name' };
  const kind = findSecretToken(text) ?? (maskDiff(text) === text ? undefined : 'private key');
  return kind === undefined ? undefined : { by: 'token', kind };
}
