/** Applies a person's choices about parts to a request: see `Conversation.partChoices`. */
import type { Attachment, ToolCallPart, Turn } from '../conversation/conversation.ts';
import { partKey, type PartChoices } from '../conversation/partChoices.ts';
import type { ToolDefinition } from '../tools/tool.ts';

/** Replaces an excluded result, since services refuse a call without one. */
export const leftOutResult = 'The person left this result out.';

type Choices = PartChoices | undefined;

export function chosenTools(
  tools: readonly ToolDefinition[],
  choices: Choices,
): readonly ToolDefinition[] {
  return tools.filter((tool) => choices?.[partKey.tool(tool.function.name)] !== 'left-out');
}

interface InstructionSettings {
  readonly instructions: string;
  readonly files?: readonly { readonly path: string }[] | undefined;
  readonly skills?: readonly { readonly path: string }[] | undefined;
}

/** The settings without the excluded instructions. */
export function chosenSettings<T extends InstructionSettings>(settings: T, choices: Choices): T {
  if (choices === undefined) return settings;
  const { instructions, files, skills } = settings;
  const isChosen = ({ path }: { readonly path: string }): boolean =>
    choices[partKey.file(path)] !== 'left-out';
  return {
    ...settings,
    instructions: choices[partKey.instructions] === 'left-out' ? '' : instructions,
    files: files?.filter(isChosen),
    skills: skills?.filter(isChosen),
  };
}

export function isAttachmentLeftOut({ id }: Attachment, choices: Choices): boolean {
  return choices?.[partKey.attachment(id)] === 'left-out';
}

/** The attachments of a message that aren't excluded. */
export function chosenAttachments(
  attachments: readonly Attachment[],
  choices: Choices,
): readonly Attachment[] {
  return attachments.filter((attachment) => !isAttachmentLeftOut(attachment, choices));
}

/** True if a call is sent with {@link leftOutResult} in place of its result. */
export function isResultLeftOut(turn: string, { id }: ToolCallPart, choices: Choices): boolean {
  return choices?.[partKey.result(turn, id)] === 'left-out';
}

/** True if the result of a call is sent in full: it is pinned, or its turn is. */
export function isResultPinned(turn: string, { id }: ToolCallPart, choices: Choices): boolean {
  const keys = [partKey.result(turn, id), partKey.turn(turn)];
  return keys.some((key) => choices?.[key] === 'pinned');
}

/** True if a turn is excluded: then neither its message nor its reply is sent. */
export function isTurnLeftOut({ id }: Turn, choices: Choices): boolean {
  return choices?.[partKey.turn(id)] === 'left-out';
}

/**
 * True if a turn is sent even if there is too little room: it is pinned, or a part of it is, which
 * can't be sent without the turn.
 */
export function isTurnPinned({ id, question, parts }: Turn, choices: Choices): boolean {
  if (choices === undefined) return false;
  const keys = [
    partKey.turn(id),
    ...question.attachments.map((attachment) => partKey.attachment(attachment.id)),
    ...parts.map((part) => (part.type === 'tool-call' ? partKey.result(id, part.id) : '')),
  ];
  return keys.some((key) => choices[key] === 'pinned');
}
