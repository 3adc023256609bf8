import { isWithinAny } from '../../core/approval/deniedPlaces.ts';
import { mayHoldSecrets } from '../../core/approval/secrets.ts';
import type { Clock } from '../../core/support/clock.ts';
import type { Location } from '../../core/files/places.ts';
import type { ReferencePlace, ReferenceWord } from '../../protocol/rpc.ts';
import { UserError } from './errors.ts';
import { labelFor } from './location.ts';
import { ownSymbols } from './symbols.ts';
import type { WorkspaceIndex } from './workspaceIndex.ts';

/** The workspace in which words are looked up. */
interface SearchedWorkspace {
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
  { find, index, denied, isTrusted, symbolsNamed, clock }: SearchedWorkspace,
): Promise<readonly (ReferencePlace | null)[]> {
  if (!isTrusted()) return words.map(() => null);
  const deniedLocations = await denied();
  const shownFile = async (path: string): Promise<ReferencePlace | null> => {
    try {
      const { uri, isThere } = await find(path);
      const isHidden = [path, uri.path].some(mayHoldSecrets);
      return isThere && !isHidden && !isWithinAny(uri, deniedLocations) ? { path } : null;
    } catch (error) {
      if (error instanceof UserError) return null;
      throw error;
    }
  };
  const files = await Promise.all(
    words.map(async ({ text, isCode }) => {
      const file = await shownFile(text);
      if (file !== null || !isCode || text.includes('/')) return file;
      const path = await index.onlyFileNamed(text);
      return path === undefined ? null : shownFile(path);
    }),
  );
  const unknown = words.filter(
    ({ text, isCode }, at) => files[at] === null && isCode && identifier.test(text),
  );
  const symbols = new Set(unknown.slice(0, maxSymbols));
  return Promise.all(
    words.map(async (word, at) => {
      if (!symbols.has(word)) return files[at] ?? null;
      const late = new Promise<readonly ReferencePlace[]>((resolve) => {
        clock.after(symbolTime, () => resolve([]));
      });
      for (const place of await Promise.race([symbolsNamed(word.text), late])) {
        if ((await shownFile(place.path)) !== null) return place;
      }
      return null;
    }),
  );
}

/** The most symbols of a name: a more common one identifies nothing. */
const maxPlaces = 10;

/** The places of the workspace's symbols of exactly this name; none if the language service fails. */
export async function workspaceSymbolsNamed(name: string): Promise<readonly ReferencePlace[]> {
  return (await ownSymbols(name))
    .filter((symbol) => symbol.name.replace(/\(\)$/, '') === name)
    .slice(0, maxPlaces)
    .map(({ location: { uri, range } }) => ({ path: labelFor(uri), line: range.start.line + 1 }));
}
