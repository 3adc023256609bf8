import { isWithinAny } from '../../core/approval/deniedPlaces.ts';
import { hasSecretName, mayBeKey } from '../../core/approval/secrets.ts';
import type { Clock } from '../../core/support/clock.ts';
import type { Location } from '../../core/workspace/places.ts';
import type { ReferencePlace, ReferenceWord } from '../../protocol/rpc.ts';
import { UserError } from '../errors.ts';
import type { WorkspaceIndex } from './workspaceIndex.ts';

export interface ReferencesOptions {
  /** Looks up a path, and rejects with a {@link UserError} outside the workspace. */
  readonly find: (path: string) => Promise<{ readonly uri: Location; readonly isThere: boolean }>;
  readonly index: Pick<WorkspaceIndex, 'onlyFileNamed'>;
  /** Locations whose files are not named. */
  readonly denied: () => Promise<readonly Location[]>;
  readonly isTrusted: () => boolean;
  /** Finds the symbols of exactly this name. */
  readonly symbolsNamed: (name: string) => Promise<readonly ReferencePlace[]>;
  readonly clock: Clock;
}

/** The most symbols that are looked up for one part of a reply. */
const maxSymbols = 20;
/** Milliseconds to wait for a language service. */
const symbolTime = 3000;
const identifier = /^[\p{L}_$][\p{L}\p{N}_$]{2,}$/u;

/**
 * The places that words of a reply name, in their order; null for words that name nothing in the
 * workspace, or nothing that should be shown. An untrusted workspace isn't searched.
 */
export async function findReferences(
  words: readonly ReferenceWord[],
  options: ReferencesOptions,
): Promise<readonly (ReferencePlace | null)[]> {
  if (!options.isTrusted()) return words.map(() => null);
  const denied = await options.denied();
  const fileOf = (path: string): Promise<ReferencePlace | null> => shownFile(path, denied, options);
  const files = await Promise.all(words.map((word) => namedFile(word, fileOf, options)));
  const isSymbol = ({ text, isCode }: ReferenceWord, index: number): boolean =>
    files[index] === null && isCode && identifier.test(text);
  const symbols = new Set(words.filter(isSymbol).slice(0, maxSymbols));
  return Promise.all(
    words.map(async (word, index) =>
      symbols.has(word) ? namedSymbol(word.text, fileOf, options) : (files[index] ?? null),
    ),
  );
}

async function namedFile(
  { text, isCode }: ReferenceWord,
  fileOf: (path: string) => Promise<ReferencePlace | null>,
  { index }: ReferencesOptions,
): Promise<ReferencePlace | null> {
  const file = await fileOf(text);
  if (file !== null || !isCode || text.includes('/')) return file;
  const path = await index.onlyFileNamed(text);
  return path === undefined ? null : fileOf(path);
}

async function shownFile(
  path: string,
  denied: readonly Location[],
  { find }: ReferencesOptions,
): Promise<ReferencePlace | null> {
  try {
    const { uri, isThere } = await find(path);
    const isHidden = [path, uri.path].some((name) => hasSecretName(name) || mayBeKey(name));
    return isThere && !isHidden && !isWithinAny(uri, denied) ? { path } : null;
  } catch (error) {
    if (error instanceof UserError) return null;
    throw error;
  }
}

/** The first place of a symbol with exactly this name. */
async function namedSymbol(
  name: string,
  fileOf: (path: string) => Promise<ReferencePlace | null>,
  { symbolsNamed, clock }: ReferencesOptions,
): Promise<ReferencePlace | null> {
  const late = new Promise<readonly ReferencePlace[]>((resolve) => {
    clock.after(symbolTime, () => resolve([]));
  });
  for (const candidate of await Promise.race([symbolsNamed(name), late])) {
    if ((await fileOf(candidate.path)) !== null) return candidate;
  }
  return null;
}
