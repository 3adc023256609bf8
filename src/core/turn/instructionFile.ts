/** Instruction files that name the files they are for. */
import { compileGlobs } from '../search/globs.ts';
import { listOf, readFrontMatter, splitList } from '../code/frontMatter.ts';
import { isInFolder } from './instructionPlaces.ts';
import type { InstructionScope } from './messagePieces.ts';

const mostGlobs = 100;

/** An instruction file without its front matter, and its scope. */
interface ParsedInstructions {
  readonly body: string;
  /** Absent if it applies to all files. */
  readonly scope?: InstructionScope;
}

/**
 * Parses a file of `.github/instructions`. Undefined if it has no `applyTo`, or invalid front matter.
 *
 * @param folder prefix of all paths in the workspace folder
 */
export function parseInstructions(text: string, folder: string): ParsedInstructions | undefined {
  const file = readFrontMatter(text);
  if ('problem' in file) return undefined;
  const globs = listOf(file.fields.get('applyto')).flatMap(splitList).slice(0, mostGlobs);
  if (globs.length === 0) return undefined;
  const body = file.body.trim();
  if (globs.some((glob) => ['*', '**', '**/*'].includes(glob))) return { body };
  const matches = compileGlobs(globs);
  const has = (path: string): boolean =>
    path.startsWith(folder) && matches(path.slice(folder.length)) && isInFolder(path, folder);
  return { body, scope: { has } };
}
