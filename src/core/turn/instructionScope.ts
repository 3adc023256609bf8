/** Instruction files and skills in requests: where they are, which apply, and how skills are listed. */
import {
  messagesOf,
  type Attachment,
  type Turn,
  type UserMessage,
} from '../conversation/conversation.ts';
import { oneLine, truncateGraphemes } from '../support/text.ts';
import type { InstructionFile, InstructionScope } from './messagePieces.ts';

/** Names of instruction files for the folder that they are in. */
export const folderInstructions = ['AGENTS.md', 'CLAUDE.md'] as const;
/** Paths of instruction files for the whole workspace folder. */
export const fixedInstructions = [
  ...folderInstructions,
  '.claude/CLAUDE.md',
  '.github/copilot-instructions.md',
] as const;

/** A folder of instruction files that name the files they are for. */
export interface InstructionsFolder {
  readonly path: string;
  /** The end of the names of its files. */
  readonly suffix: string;
  /** The key of their front matter with globs, in lower case. */
  readonly key: 'applyto' | 'paths';
  /** True if a file without globs is for all files, false if it is for none. */
  readonly isForAll: boolean;
}

export const instructionsFolders: readonly InstructionsFolder[] = [
  { path: '.github/instructions', suffix: '.instructions.md', key: 'applyto', isForAll: false },
  { path: '.claude/rules', suffix: '.md', key: 'paths', isForAll: true },
];

/** A text that only names another file: an import, or a link that Git checked out as a text. */
const onlyNamesAnother = /^@?(?:\.{1,2}\/)*(?:AGENTS|CLAUDE)\.md$/;

/**
 * The files without those that would send something twice: the same file, the text of an earlier one for
 * the same folder, or only the name of another one, as a `CLAUDE.md` with `@AGENTS.md`. Other imports
 * stay text.
 */
export function withoutRepeated<T extends InstructionFile>(files: readonly T[]): readonly T[] {
  const [paths, texts] = [new Set<string>(), new Set<string>()];
  return files.filter(({ path, text, scope }) => {
    const words = text.trim();
    const hasGlobs = scope !== undefined && scope.folder === undefined;
    const key = JSON.stringify([hasGlobs ? path : scope?.folder, words]);
    const isRepeated = paths.has(path) || texts.has(key) || onlyNamesAnother.test(words);
    paths.add(path);
    texts.add(key);
    return !isRepeated && words !== '';
  });
}

/** False for an absolute path outside the folder. */
export function isInFolder(path: string, folder: string): boolean {
  return folder !== '' || !/^(?:[/\\]|[a-z][a-z\d+.-]*:)/i.test(path);
}

/**
 * The scope of the files {@link folderInstructions} of a folder.
 *
 * @param folder as in paths, ending with `/`
 * @returns undefined for a workspace folder itself: its instructions apply to all files
 */
export function scopeOfFolder(
  folder: string,
  workspaceFolder: string,
): InstructionScope | undefined {
  return folder === workspaceFolder
    ? undefined
    : { folder, has: (path) => path.startsWith(folder) };
}

/**
 * The folders between a workspace folder and a file in it, outer first, relative to the workspace
 * folder.
 *
 * @param path of the file, or of a folder with `/` at its end
 * @param workspaceFolder prefix of the paths of its files
 */
export function foldersOf(path: string, workspaceFolder: string): readonly string[] {
  if (!path.startsWith(workspaceFolder) || !isInFolder(path, workspaceFolder)) return [];
  const names = path.slice(workspaceFolder.length).split('/').slice(0, -1);
  if (names.some((name) => name === '' || name === '.' || name === '..')) return [];
  return names.map((_, index) => names.slice(0, index + 1).join('/'));
}

/**
 * Limits of one request, in files and in characters: instructions are paid for with each request.
 */
export const mostInstructionFiles = 20;
export const mostInstructionCharacters = 200_000;

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
  // Files with globs come before those of folders; a folder comes before those in it.
  const sorted = files.toSorted((file, other) => {
    const [first = '', second = ''] = [file.scope?.folder, other.scope?.folder];
    return first === second ? 0 : first < second ? -1 : 1;
  });
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
  let [count, characters] = [0, 0];
  return [[...always, ...first], ...later].map((group) =>
    group.filter(({ text }) => {
      const fits =
        count < mostInstructionFiles && characters + text.length <= mostInstructionCharacters;
      if (fits) [count, characters] = [count + 1, characters + text.length];
      return fits;
    }),
  );
}

/**
 * The paths of the attachments of each question, up to and including the turn's. Those of messages that
 * were added to a turn count for the question after it: what a service has cached must stay.
 */
export function pathsOfTurns(
  turns: readonly Turn[],
  { id, question }: { readonly id?: Turn['id'] | undefined; readonly question: UserMessage },
): readonly (readonly string[])[] {
  const index = turns.findIndex((turn) => turn.id === id);
  const before = index < 0 ? turns : turns.slice(0, index);
  const questions = [...before.map((turn) => turn.question), question];
  const added = [[], ...before.map((turn) => messagesOf(turn).slice(1))];
  return questions.map((message, at) =>
    [...(added[at] ?? []), message].flatMap(({ attachments }) => {
      const files = attachments.filter(({ kind, path }) => kindsOfFiles.has(kind) && path !== '');
      return files.map(({ path }) => path);
    }),
  );
}

const kindsOfFiles: ReadonlySet<Attachment['kind']> = new Set([
  ...[undefined, 'file', 'folder', 'selection', 'symbol', 'image'],
] as const);

/** The most skills that requests list, and tokens of each in them. */
export const mostListedSkills = 50;
export const mostSkillTokens = 60;

/** How a request lists a skill, in at most {@link mostSkillTokens} tokens with the empty line after it. */
export function listedSkill(
  path: string,
  description: string,
): InstructionFile & { readonly isCut: boolean } {
  const whole = `- ${oneLine(path, Infinity)}: ${description}`;
  let [tokens, length] = [2, 0];
  for (const [piece] of whole.matchAll(pieces)) {
    tokens += tokensOfPiece(piece);
    if (tokens > mostSkillTokens) break;
    length += piece.length;
  }
  const isCut = length < whole.length;
  return { path, text: isCut ? `${truncateGraphemes(whole, length).trimEnd()}…` : whole, isCut };
}

const pieces = /[a-z]{1,20}|\d{1,2}|[^]/giu;
/** Words that no language has: tokenizers split them into pairs of letters. */
const unusual = /[^aeiouy]{4}|[jqxz][^aeiouy]|[A-Z]{3}|[a-z][A-Z]/;

/** Tokens of a word, a number or a character, rather too many: tokenizers differ. */
function tokensOfPiece(piece: string): number {
  if (/^[a-z]/i.test(piece))
    return Math.max(1, piece.length / (unusual.test(piece) ? 1.7 : 5) + 0.3);
  const code = piece.codePointAt(0) ?? 0;
  if (piece === ' ') return 0;
  if (code < 0x80) return piece === ',' ? 1 : 0.8;
  return code < 0x600 && !/\p{M}/u.test(piece) ? 0.6 : code < 0x10000 ? 1.6 : 3;
}
