import {
  PartlyAllowed,
  type Approved,
  type Gate,
  type PlannedChange,
  type ReadGate,
} from '../../core/approval/gate.ts';
import { outgoingText } from '../../core/approval/outgoing.ts';
import { applyEdits, applyMaskedEdits, refuseMasks } from '../../core/edits/applyEdits.ts';
import type { SearchReplace } from '../../core/edits/fitReplacement.ts';
import { diffLists, splitLinesKeepingEnds, unifiedDiff } from '../../core/edits/lineDiff.ts';
import { isSameTextIgnoringLineEndings, withLineEndings } from '../../core/edits/lineEndings.ts';
import { normalizeCells, withoutNumbers } from '../../core/edits/notebookText.ts';
import { cellsOfNewNotebook } from '../../core/tools/newNotebook.ts';
import { maskDiff, masksIn } from '../../core/support/secretTokens.ts';
import { truncateText } from '../../core/support/text.ts';
import { ToolError } from '../../core/support/toolError.ts';
import type { ToolContext } from '../../core/tools/tool.ts';
import type { Target } from '../../core/workspace/places.ts';
import type { AppliedChange } from './applyChanges.ts';
import { changedLineCounts } from './changeRecord.ts';
import type { Changes } from './changes.ts';

export type EditableContent =
  | {
      readonly kind: 'text';
      readonly text: string;
      /** True if saving would change bytes that aren't text. */
      readonly isLossy: boolean;
      readonly cells?: number | undefined;
      readonly isCurrent: () => Promise<boolean>;
    }
  | { readonly kind: 'binary' | 'huge' | 'folder' | 'missing' };

interface ReadingOptions {
  readonly gate: ReadGate;
  readonly files: { readFile(target: Approved<Target>): Promise<EditableContent> };
}

interface WritingOptions {
  readonly gate: Gate;
  readonly changes: Pick<Changes, 'apply'>;
}

export interface EditingOptions extends ReadingOptions, WritingOptions {
  readonly gate: Gate;
}

/** Maximum number of characters; longer files could not be reviewed. */
const longestFile = 2_000_000;

/**
 * Edits a file after approval by the person or a grant.
 *
 * @throws {ToolError} if the edits don't match, are denied, or the file has changed meanwhile
 */
export async function editFile(
  path: string,
  edits: readonly SearchReplace[],
  options: EditingOptions,
  context: ToolContext,
): Promise<string> {
  const content = await readEditable(path, options, context);
  const { text: before, cells, isCurrent } = content;
  const edited = editSeen(content, edits);
  const after = cells === undefined ? edited : normalizeCells(edited, before);
  checkLength(after);
  const planned = { kind: 'edit', path, before, after, isCurrent } as const;
  const { applied, difference } = await applyAllowed([planned], options, context);
  const fitted = isAsWritten(after, edits) ? '' : describeFitted(before, after);
  return applied.map(describeEdit).join('\n') + fitted + difference;
}

/** True if a text has all replacements as the model wrote them, apart from masks of secrets. */
function isAsWritten(text: string, edits: readonly SearchReplace[]): boolean {
  const plain = withLineEndings(text, '\n');
  return edits.every(
    ({ replace }) => masksIn(replace).length > 0 || plain.includes(withLineEndings(replace, '\n')),
  );
}

/** Maximum number of characters of a diff that shows an adapted edit. */
const maxFittedDiff = 4000;

/** Shows the model an edit that was adapted to the file, so that it can correct it. */
function describeFitted(before: string, after: string): string {
  const diff = maskDiff(unifiedDiff(before, after));
  const shown = diff.length > maxFittedDiff ? `${truncateText(diff, maxFittedDiff)}…` : diff;
  return ` The edit was fitted to the indentation and characters of the file. It makes this change:\n${shown}`;
}

interface EditableText extends Extract<EditableContent, { kind: 'text' }> {
  readonly target: Target;
}

/**
 * Reads a file to edit it.
 * @throws {ToolError} if it can't be edited as text
 */
export async function readEditable(
  path: string,
  { gate, files }: ReadingOptions,
  context: ToolContext,
): Promise<EditableText> {
  const { target, content } = await gate.read(path, context, async (approved) => ({
    target: approved.value,
    content: await files.readFile(approved),
  }));
  if (content.kind !== 'text') throw new ToolError(notEditable(path, content.kind));
  if (content.isLossy) throw new ToolError(notEditable(path, 'binary'));
  return { ...content, target };
}

/**
 * Creates a file after approval by the person or a grant.
 *
 * @throws {ToolError} if the file exists, or the change is denied
 */
export async function createFile(
  path: string,
  content: string,
  options: EditingOptions,
  context: ToolContext,
): Promise<string> {
  const text = /\.ipynb$/i.test(path) ? cellsOfNewNotebook(content) : content;
  checkLength(text);
  refuseMasks(text, '');
  const { gate, files } = options;
  const isMissing = await gate.read(path, context, async (target) => {
    const look = async (): Promise<boolean> => (await files.readFile(target)).kind === 'missing';
    return (await look()) ? look : undefined;
  });
  if (isMissing === undefined) throw new ToolError(`${path} already exists. Use edit_file.`);
  const planned = { kind: 'create', path, before: '', after: text, isCurrent: isMissing } as const;
  const { applied, difference } = await applyAllowed([planned], options, context);
  return applied.map(describeNew).join('\n') + difference;
}

/** The applied changes, and for the model how they differ from the planned ones. */
interface AllowedChanges {
  readonly applied: readonly AppliedChange[];
  readonly difference: string;
}

/**
 * Passes changes through the gate and applies exactly the allowed part, or the texts that the
 * person made of them.
 *
 * @throws {ToolError} if they are denied, nothing of them remains, or a file has changed meanwhile
 */
export async function applyAllowed(
  planned: readonly PlannedChange[],
  { gate, changes }: WritingOptions,
  context: ToolContext,
): Promise<AllowedChanges> {
  const pass = (all: readonly PlannedChange[]): Promise<readonly AppliedChange[]> =>
    gate.edit(all, context, (approved) => changes.apply(approved, context));
  try {
    return { applied: await pass(planned), difference: '' };
  } catch (error) {
    if (!(error instanceof PartlyAllowed)) throw error;
    const { texts } = error;
    const remaining = planned
      .map((change) => ({ ...change, after: texts.get(change.path) ?? change.after }))
      .filter(({ before, after }) => before !== after);
    if (remaining.length === 0) {
      throw new ToolError('The person removed all of your edit. Nothing was written.', 'denied');
    }
    const applied = await pass(remaining);
    return { applied, difference: describeDifference(planned, texts) };
  }
}

function describeDifference(
  planned: readonly PlannedChange[],
  texts: ReadonlyMap<string, string>,
): string {
  const diffs = planned.flatMap(({ path, after }) => {
    const diff = unifiedDiff(after, texts.get(path) ?? after);
    return diff === '' ? [] : [`${path}\n${maskDiff(diff)}`];
  });
  return ` The person rejected or changed parts of it. This diff leads from your text to what was written:\n${diffs.join('\n')}`;
}

/** Edits the text in the form the model has seen: with its secrets, or with masks. */
function editSeen({ text, target }: EditableText, edits: readonly SearchReplace[]): string {
  if (!outgoingText(text, target).isAllowed) return applyMaskedEdits(text, edits);
  const after = applyEdits(text, edits);
  refuseMasks(after, text);
  return after;
}

/** @throws {ToolError} if a file would be too long for a review */
export function checkLength(text: string): void {
  if (text.length <= longestFile) return;
  throw new ToolError(
    `The file would have ${text.length} characters; the maximum is ${longestFile}.`,
  );
}

function notEditable(path: string, kind: 'binary' | 'huge' | 'folder' | 'missing'): string {
  switch (kind) {
    case 'binary':
      return `${path} has bytes that are not text in its encoding.`;
    case 'huge':
      return `${path} is too large to edit.`;
    case 'folder':
      return `${path} is a folder.`;
    case 'missing':
      return `There is no file ${path}. Use create_file for a new one.`;
  }
}

/** The result of an edit for the model, sufficient to continue without reading the file again. */
function describeEdit({ path, before, after, text, isSaved }: AppliedChange): string {
  const { addedLines, removedLines } = changedLineCounts(before, text);
  const change = `Changed ${path}: +${addedLines} −${removedLines}${placesOf(before, text)}.`;
  const formatted = isSameTextIgnoringLineEndings(text, after)
    ? ''
    : isSameTextIgnoringLineEndings(withoutNumbers(text), withoutNumbers(after))
      ? ' Its cells have new numbers: read it before you edit it again.'
      : ' Saving it made more changes, for example by a formatter: read it before you edit it again.';
  const unsaved = isSaved ? '' : ' It already had unsaved changes, so it was not saved.';
  return change + formatted + unsaved;
}

function describeNew({ path, text }: AppliedChange): string {
  const { length } = splitLinesKeepingEnds(text);
  return `Created ${path}: ${length} ${length === 1 ? 'line' : 'lines'}.`;
}

/** Maximum number of places to list. */
const mostPlaces = 5;

function placesOf(before: string, after: string): string {
  const [oldLines, newLines] = [before, after].map((text) =>
    splitLinesKeepingEnds(withoutNumbers(withLineEndings(text, '\n'))),
  );
  const places = diffLists(oldLines ?? [], newLines ?? []).map(({ after: { start, end } }) =>
    end - start > 1 ? `${start + 1}–${end}` : String(start + 1),
  );
  const more = places.length > mostPlaces ? ', …' : '';
  const word = places.length === 1 && !places[0]?.includes('–') ? 'line' : 'lines';
  return `, ${word} ${places.slice(0, mostPlaces).join(', ')}${more}`;
}
