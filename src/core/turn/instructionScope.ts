/** Chooses the instruction files of a request: those for the files that it is about. */
import type { Attachment, Turn, UserMessage } from '../conversation/conversation.ts';
import type { InstructionFile, InstructionScope } from './messagePieces.ts';

/**
 * Limits of one request, in files and in characters: instructions are paid for with each request.
 */
export const mostInstructionFiles = 20;
export const mostInstructionCharacters = 200_000;

/** The scope of an `AGENTS.md`: the files of its folder and below. */
export function scopeBelow(folder: string): InstructionScope {
  return { folder, has: (path) => path.startsWith(folder) };
}

/** The files that apply to a request: those of {@link instructionsByMessage} together. */
export function applicableInstructions<T extends InstructionFile>(
  files: readonly T[],
  about: readonly (readonly string[])[],
): readonly T[] {
  return instructionsByMessage(files, about).flat();
}

/**
 * The files that apply to a request, by the message that they are first needed for: those for all
 * files with the first message, outer folders before inner ones. So a later message changes nothing
 * before it, and the beginning stays in the service's cache. Files beyond the limits are dropped, the
 * last ones first.
 *
 * @param about for each message, the paths of its attachments
 */
export function instructionsByMessage<T extends InstructionFile>(
  files: readonly T[],
  about: readonly (readonly string[])[],
): readonly (readonly T[])[] {
  const sorted = files.toSorted(byFolder);
  const always = sorted.filter(({ scope }) => scope === undefined);
  const scoped = sorted.filter(({ scope }) => scope !== undefined);
  const known = new Set<string>();
  const chosen = new Set<T>();
  const [first = [], ...later] = about.map((paths) => {
    const fresh = paths.filter((path) => !known.has(path));
    for (const path of fresh) known.add(path);
    const added = scoped.filter(
      (file) => !chosen.has(file) && fresh.some((path) => file.scope?.has(path)),
    );
    for (const file of added) chosen.add(file);
    return added;
  });
  return withinBounds([[...always, ...first], ...later]);
}

/** The paths of the attachments of each message, up to and including the turn's. */
export function pathsOfTurns(
  turns: readonly Turn[],
  { id, question }: { readonly id?: Turn['id'] | undefined; readonly question: UserMessage },
): readonly (readonly string[])[] {
  const index = turns.findIndex((turn) => turn.id === id);
  const before = index < 0 ? turns : turns.slice(0, index);
  return [...before.map((turn) => turn.question), question].map(pathsOf);
}

const kindsOfFiles: ReadonlySet<Attachment['kind']> = new Set([
  ...[undefined, 'file', 'folder', 'selection', 'symbol', 'image'],
] as const);

function pathsOf({ attachments }: UserMessage): readonly string[] {
  const files = attachments.filter(({ kind, path }) => kindsOfFiles.has(kind) && path !== '');
  return files.map(({ path }) => path);
}

/** Files with globs come before those of folders; a folder comes before those in it. */
function byFolder(file: InstructionFile, other: InstructionFile): number {
  const [first = '', second = ''] = [file.scope?.folder, other.scope?.folder];
  return first === second ? 0 : first < second ? -1 : 1;
}

function withinBounds<T extends InstructionFile>(
  groups: readonly (readonly T[])[],
): readonly (readonly T[])[] {
  let [count, characters] = [0, 0];
  return groups.map((files) =>
    files.filter(({ text }) => {
      const fits =
        count < mostInstructionFiles && characters + text.length <= mostInstructionCharacters;
      if (fits) [count, characters] = [count + 1, characters + text.length];
      return fits;
    }),
  );
}
