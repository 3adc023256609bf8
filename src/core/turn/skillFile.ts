/** Skills: folders with instructions for a kind of task, which the model reads when it has such a task. */
import { isCommandName, type InvalidPromptFile } from '../code/promptFile.ts';
import { readFrontMatter } from '../support/frontMatter.ts';
import { oneLine, truncateGraphemes, visibleName } from '../support/text.ts';
import type { InstructionFile } from './messagePieces.ts';

/** The file of a skill in its folder. */
export const skillFile = 'SKILL.md';
/** Folders of a workspace folder, and of the home folder, that hold the folders of skills. */
export const skillFolders = ['.agents/skills', '.claude/skills', '.github/skills'] as const;

/** The most skills that requests list, and tokens of each in them. */
export const mostListedSkills = 50;
export const mostSkillTokens = 60;

/** Reason why a skill can't be used. */
export type SkillProblem = InvalidPromptFile['problem'] | 'skill name' | 'description' | 'link';

/** The content of a skill's file. */
export interface ParsedSkill {
  readonly name: string;
  readonly description: string;
  readonly body: string;
}

/**
 * Parses the file of a skill. Of its front matter, only `name` and `description` are used: it can't
 * choose tools, approvals or a model.
 *
 * @param folder the name of its folder, for one without a name of its own
 */
export function parseSkill(
  folder: string,
  text: string,
): ParsedSkill | { readonly problem: SkillProblem } {
  const file = readFrontMatter(text);
  const description = oneLine(file?.fields.get('description') ?? '', 2000);
  if (file === undefined) return { problem: 'front matter' };
  if (description === '') return { problem: 'description' };
  const named = (file.fields.get('name') ?? '').trim();
  const name = named === '' ? folder : named;
  // A letter of another script, or one that nobody sees, could pass for the name of another command.
  const isPlain = [folder, name].every((word) => isCommandName(word) && visibleName(word) === word);
  if (!isPlain) return { problem: 'skill name' };
  const body = file.body.trim();
  return body === '' ? { problem: 'empty' } : { name, description, body };
}

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
