/** The files of instructions and skills. Parsing needs YAML, so this is loaded at the first one. */
import {
  type InvalidPromptFile,
  isCommandName,
  listOf,
  readFrontMatter,
  splitList,
  textOf,
} from '../code/frontMatter.ts';
import { compileGlobs } from '../files/globs.ts';
import { oneLine, visibleName } from '../support/text.ts';
import { isInFolder } from './instructionScope.ts';
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

/** Reason why a skill can't be used. */
export type SkillProblem = InvalidPromptFile['problem'] | 'skill name' | 'description' | 'link';

/** The content of a skill's file. */
export interface ParsedSkill {
  readonly name: string;
  readonly description: string;
  readonly body: string;
}

/**
 * Parses the file of a skill. Its command is its `name`, or the name of its folder if that one can't be
 * typed. Of its front matter, only `name` and `description` are used: it can't choose tools, approvals
 * or a model.
 */
export function parseSkill(
  folder: string,
  text: string,
): ParsedSkill | { readonly problem: SkillProblem } {
  const file = readFrontMatter(text);
  if ('problem' in file) return file;
  const description = oneLine(textOf(file.fields.get('description')), 2000);
  if (description === '') return { problem: 'description' };
  // A letter of another script, or one that nobody sees, could pass for the name of another command.
  const name = [textOf(file.fields.get('name')).trim(), folder].find(
    (word) => isCommandName(word) && visibleName(word) === word,
  );
  if (name === undefined) return { problem: 'skill name' };
  const body = file.body.trim();
  return body === '' ? { problem: 'empty' } : { name, description, body };
}
