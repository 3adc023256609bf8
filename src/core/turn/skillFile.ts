/** Skills: folders with instructions for a kind of task, which the model reads when it has such a task. */
import {
  type InvalidPromptFile,
  isCommandName,
  readFrontMatter,
  textOf,
} from '../code/frontMatter.ts';
import { oneLine, visibleName } from '../support/text.ts';

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
