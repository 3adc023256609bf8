/** Questions that the model asks the person with the tool `ask_user`, and their answers. */
import { isObject, parseJson } from '../support/json.ts';
import { knownToolName } from '../support/toolName.ts';
import type { ToolCallPart, Turn } from './conversation.ts';

export const askUserName = 'ask_user';

/** Maximum number of choices, and of characters of an answer in the person's own words. */
export const mostChoices = 5;
export const longestAnswer = 20_000;

export interface Question {
  readonly text: string;
  readonly choices: readonly Choice[];
  /** True if several of them may be chosen. */
  readonly several: boolean;
}

interface Choice {
  readonly label: string;
  /** Empty if the model explained nothing. */
  readonly detail: string;
}

/** The question of a call; undefined for calls of other tools, and for invalid arguments. */
export function questionOf({
  name,
  arguments: json,
}: Pick<ToolCallPart, 'name' | 'arguments'>): Question | undefined {
  if (knownToolName(name, [askUserName]) !== askUserName) return undefined;
  const value = parseJson(json);
  if (!isObject(value) || typeof value['question'] !== 'string') return undefined;
  const { question: text, choices, several } = value;
  if (!Array.isArray(choices)) return undefined;
  const written = choices.filter((choice) => typeof choice === 'string');
  return { text, choices: written.slice(0, mostChoices).map(choiceOf), several: several === true };
}

/** A choice as the model writes it: `label: explanation`. */
function choiceOf(written: string): Choice {
  const [, label = written, detail = ''] = /^(.+?): +(.+)$/s.exec(written) ?? [];
  return { label, detail };
}

/**
 * True if the person can answer: the call asks, or its window was closed before it had an answer. The
 * first answer then continues the turn, without the answers to others. After Stop, there is none.
 */
export function isOpenQuestion(
  { status, result }: ToolCallPart,
  { status: ofTurn }: Pick<Turn, 'status'>,
): boolean {
  return status === 'asking' || (ofTurn === 'cut' && status === 'stopped' && result === undefined);
}

/**
 * An answer, as the model gets it.
 *
 * @param chosen indexes of the choices
 * @param words the person's own
 * @returns undefined if it is empty
 */
export function answerText(
  { choices }: Question,
  chosen: readonly number[],
  words: string,
): string | undefined {
  const labels = choices.flatMap(({ label }, index) => (chosen.includes(index) ? [label] : []));
  const lines = [
    ...(labels.length === 0 ? [] : [choseHead + labels.join('; ')]),
    ...(words.trim() === '' ? [] : [wroteHead + words.trim()]),
  ];
  return lines.length === 0 ? undefined : lines.join('\n');
}

const choseHead = 'The person chose: ';
const wroteHead = 'The person wrote: ';

/** An answer without what only the model needs, for the person who gave it. */
export function shownAnswer(result: string): string {
  return result
    .split('\n')
    .map((line, index) => {
      const head = [choseHead, wroteHead].find((words) => line.startsWith(words));
      return head === undefined || index > 1 ? line : line.slice(head.length);
    })
    .join('\n');
}
