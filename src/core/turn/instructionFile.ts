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
import { isInFolder, type InstructionsFolder } from './instructionScope.ts';
import type { InstructionScope } from './messagePieces.ts';

const mostGlobs = 100;
const allFiles: ReadonlySet<string> = new Set(['*', '**', '**/*']);

/** An instruction file without its front matter, and its scope. */
interface ParsedInstructions {
  readonly body: string;
  /** Absent if it applies to all files. */
  readonly scope?: InstructionScope;
}

/**
 * Parses a file of a folder of instructions. Undefined if it is for no files, or its front matter is
 * invalid.
 *
 * @param folder prefix of all paths in the workspace folder
 */
export function parseInstructions(
  text: string,
  folder: string,
  { key, isForAll }: Pick<InstructionsFolder, 'key' | 'isForAll'>,
): ParsedInstructions | undefined {
  const file = readFrontMatter(text);
  if ('problem' in file) return undefined;
  const globs = listOf(file.fields.get(key)).flatMap(splitList).slice(0, mostGlobs);
  if (globs.length === 0 && !isForAll) return undefined;
  const body = file.body.trim();
  const isUnlimited = globs.length === 0 || globs.some((glob) => allFiles.has(glob));
  if (isUnlimited) return { body };
  const matches = compileGlobs(globs);
  const has = (path: string): boolean =>
    path.startsWith(folder) && matches(path.slice(folder.length)) && isInFolder(path, folder);
  return { body, scope: { has } };
}

/** Reason why a skill can't be used. */
export type SkillProblem = InvalidPromptFile['problem'] | 'skill name' | 'description' | 'link';

/** Characters of what can be typed after a command. */
const mostOfHint = 100;

/** The content of a skill's file. */
export interface ParsedSkill {
  readonly name: string;
  readonly description: string;
  readonly body: string;
  /** What can be typed after its command; empty if it doesn't say. */
  readonly hint: string;
  /** False if only the model chooses it: it has no command. */
  readonly isCommand: boolean;
  /** False if only the person chooses it: requests don't list it. */
  readonly isListed: boolean;
}

/**
 * Parses the file of a skill. Its command is its `name`, or the name of its folder if that one can't be
 * typed. Its front matter can't choose tools, approvals or a model.
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
  if (body === '') return { problem: 'empty' };
  const written = file.fields.get('argument-hint');
  // Most hints are in brackets, which are a list in YAML: `[file]`.
  const hint = typeof written === 'object' ? `[${textOf(written)}]` : textOf(written);
  const isFlag = (key: string, value: 'true' | 'false'): boolean =>
    textOf(file.fields.get(key)).trim().toLowerCase() === value;
  return {
    name,
    description,
    body,
    hint: oneLine(hint, mostOfHint),
    isCommand: !isFlag('user-invocable', 'false'),
    isListed: !isFlag('disable-model-invocation', 'true'),
  };
}
