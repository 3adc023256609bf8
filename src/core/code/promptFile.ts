import { listOf, readFrontMatter, textOf } from './frontMatter.ts';
import { oneLine } from '../support/text.ts';

/** Maximum number of characters of a prompt file. */
const maxCharacters = 100_000;

/** A custom command: a file with a prompt for the model. */
export interface ParsedPromptFile {
  readonly name: string;
  readonly description: string;
  /** Destination of the result: `edit` shows it in the editor, all others in the panel. */
  readonly mode: 'ask' | 'edit' | 'agent';
  readonly model?: string;
  readonly body: string;
}

/**
 * An invalid prompt file and its problem: its `name` can't be typed, its `front matter` is not
 * terminated, or it is `empty`, `too long`, or `not text`.
 */
export interface InvalidPromptFile {
  readonly name: string;
  readonly problem: 'name' | 'front matter' | 'empty' | 'too long' | 'not text';
}

const extension = /(?:\.prompt)?\.md$/i;

/** The name of a command by that of its file. Invisible characters in it can be seen. */
export function promptName(fileName: string): string {
  return oneLine(fileName.replace(extension, '')).replaceAll(' ', '-');
}

/** True if a name can be typed after the slash. */
export function isCommandName(name: string): boolean {
  return /^[\p{L}\p{N}][\p{L}\p{M}\p{N}_.-]{0,63}$/u.test(name);
}

/**
 * Parses a `.prompt.md` file: optional front matter, then the prompt. Only
 * `description`, `mode` (or `agent`) and `model` of the front matter are used; other keys are
 * ignored, especially `tools`, since a file must not grant permissions.
 *
 * @param fileName name of the file in its folder
 */
export function parsePromptFile(
  fileName: string,
  text: string,
): ParsedPromptFile | InvalidPromptFile {
  const name = promptName(fileName);
  if (!isCommandName(name)) return { name, problem: 'name' };
  if (text.length > maxCharacters) return { name, problem: 'too long' };
  const parts = readFrontMatter(text);
  if ('problem' in parts) return { name, ...parts };
  const body = parts.body.trim();
  if (body === '') return { name, problem: 'empty' };
  const { fields } = parts;
  const [model = ''] = listOf(fields.get('model'));
  const mode = textOf(fields.get('mode') ?? fields.get('agent'))
    .trim()
    .toLowerCase();
  return {
    name,
    description: oneLine(textOf(fields.get('description'))),
    mode: mode === 'edit' || mode === 'agent' ? mode : 'ask',
    ...(model === '' ? {} : { model }),
    body,
  };
}
