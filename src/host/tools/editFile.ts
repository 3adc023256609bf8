import * as vscode from 'vscode';
import * as z from 'zod/mini';
import { outgoingText } from '../../core/approval/secrets.ts';
import { applyEdits, applyMaskedEdits, refuseMasks } from '../../core/edits/applyEdits.ts';
import type { SearchReplace } from '../../core/edits/fitReplacement.ts';
import { diffLists, splitLinesKeepingEnds, unifiedDiff } from '../../core/edits/lineDiff.ts';
import { isSameTextIgnoringLineEndings, withLineEndings } from '../../core/edits/lineEndings.ts';
import { normalizeCells, withoutNumbers } from '../../core/edits/notebookText.ts';
import { maskDiff, masksIn } from '../../core/support/secretTokens.ts';
import { truncateText } from '../../core/support/text.ts';
import { defineTool, type Tool } from '../../core/tools/tool.ts';
import type { AppliedChange } from './changes.ts';
import { changedLineCounts } from './changeStore.ts';
import type { Editing } from './editing.ts';

/** Milliseconds; saving may wait for formatters. */
const deadline = 30_000;
/** Maximum number of characters of a diff that shows an adapted edit. */
const maxFittedDiff = 4000;
/** Maximum number of places to list. */
const mostPlaces = 5;

const edit = z.strictObject({
  search: z
    .string()
    .check(z.describe('Whole lines that occur once in the file, without their numbers')),
  replace: z.string(),
});

/** `edit_file`: applies search and replace pairs, all or none. */
export function editFileTool(editing: Editing): Tool {
  return defineTool({
    name: 'edit_file',
    category: 'edit',
    icon: 'edit',
    label: vscode.l10n.t('Edit File'),
    summary: {
      many: vscode.l10n.t('Edit {0} files'),
      distinct: { argument: 'path', one: vscode.l10n.t('Edit 1 file') },
    },
    deadline,
    description: 'Replaces text in a file. Make all changes of a file in one call.',
    schema: z.strictObject({
      path: z.string(),
      edits: z.array(edit).check(z.describe('Applied in order, all or none')),
    }),
    title: ({ path }) => vscode.l10n.t('Edit {0}', path),
    async run({ path, edits }, context) {
      const { text: before, target, cells, isCurrent } = await editing.read(path, context);
      // The model has seen the file with its secrets, or with masks.
      const isMasked = !outgoingText(before, target).isAllowed;
      const edited = isMasked ? applyMaskedEdits(before, edits) : applyEdits(before, edits);
      if (!isMasked) refuseMasks(edited, before);
      const after = cells === undefined ? edited : normalizeCells(edited, before);
      const planned = { kind: 'edit', path, before, after, isCurrent } as const;
      const { applied, difference } = await editing.apply([planned], context);
      const fitted = isAsWritten(after, edits) ? '' : describeFitted(before, after);
      return applied.map(describeEdit).join('\n') + fitted + difference;
    },
  });
}

/** True if a text has all replacements as the model wrote them, apart from masks of secrets. */
function isAsWritten(text: string, edits: readonly SearchReplace[]): boolean {
  const plain = withLineEndings(text, '\n');
  return edits.every(
    ({ replace }) => masksIn(replace).length > 0 || plain.includes(withLineEndings(replace, '\n')),
  );
}

/** Shows the model an edit that was adapted to the file, so that it can correct it. */
function describeFitted(before: string, after: string): string {
  const diff = maskDiff(unifiedDiff(before, after));
  const shown = diff.length > maxFittedDiff ? `${truncateText(diff, maxFittedDiff)}…` : diff;
  return ` The edit was fitted to the indentation and characters of the file. It makes this change:\n${shown}`;
}

/** The result of an edit for the model, sufficient to continue without reading the file again. */
function describeEdit({ path, before, after, text, isSaved }: AppliedChange): string {
  const { addedLines, removedLines } = changedLineCounts(before, text);
  const [oldLines = [], newLines = []] = [before, text].map((side) =>
    splitLinesKeepingEnds(withoutNumbers(withLineEndings(side, '\n'))),
  );
  const places = diffLists(oldLines, newLines).map(({ after: { start, end } }) =>
    end - start > 1 ? `${start + 1}–${end}` : String(start + 1),
  );
  const more = places.length > mostPlaces ? ', …' : '';
  const word = places.length === 1 && !places[0]?.includes('–') ? 'line' : 'lines';
  const lines = `${word} ${places.slice(0, mostPlaces).join(', ')}${more}`;
  const formatted = isSameTextIgnoringLineEndings(text, after)
    ? ''
    : isSameTextIgnoringLineEndings(withoutNumbers(text), withoutNumbers(after))
      ? ' Its cells have new numbers: read it before you edit it again.'
      : ' Saving it made more changes, for example by a formatter: read it before you edit it again.';
  const unsaved = isSaved ? '' : ' It already had unsaved changes, so it was not saved.';
  return `Changed ${path}: +${addedLines} −${removedLines}, ${lines}.${formatted}${unsaved}`;
}
