import * as l10n from '@vscode/l10n';
import { useLayoutEffect } from 'preact/hooks';
import type { FileRestore } from '../../core/conversation/conversation.ts';
import { background } from '../../core/support/background.ts';
import { revealInvisible } from '../../core/support/text.ts';
import { ChangeButton } from '../parts/changeButtons.tsx';
import { Icon } from '../parts/controls.tsx';
import { countText } from '../parts/format.ts';
import { useStore } from '../parts/hooks.ts';

/**
 * Offers to restore the files that the turn and later ones changed. Renders nothing if there are
 * none.
 */
export function RestoreChoice({ turn }: { readonly turn: string }) {
  const store = useStore();
  const { restores } = store;
  // A running turn may change more files.
  const running = store.runningId.value;
  useLayoutEffect(() => background(restores.find(turn)), [restores, turn, running]);
  const restorable = restores.byTurn.value[turn];
  if (restorable === undefined) return null;
  const { files, left: skipped } = restorable;
  const count = files.length + skipped.length;
  if (count === 0) return null;
  const choose = (isWanted: boolean): void => {
    restores.want(turn, isWanted);
    // Files may have been changed since.
    background(restores.find(turn));
  };
  return (
    <div class="restore-choice">
      <label>
        <input
          type="checkbox"
          checked={restores.wanted.value.includes(turn)}
          onChange={(event) => choose(event.currentTarget.checked)}
        />
        {l10n.t('Restore files to before this message')}
      </label>
      <span class="restore-count">
        {skipped.length === 0 ? filesText(count) : l10n.t('{0} of {1} files', files.length, count)}
      </span>
      {files.length > 0 && (
        <button
          type="button"
          class="link"
          onClick={() => store.post('restore-files', { turn, action: 'review' })}
        >
          {l10n.t('Review…')}
        </button>
      )}
      {skipped.length > 0 && (
        <div class="hint">{l10n.t('Changed since, stays as it is: {0}', pathsText(skipped))}</div>
      )}
    </div>
  );
}

interface RestoredFilesProps {
  readonly turn: string;
  readonly restore: FileRestore;
}

/** Lists the files that were restored before a message was sent, with a button to undo that. */
export function RestoredFiles({ turn, restore }: RestoredFilesProps) {
  const store = useStore();
  const { files, left: skipped, status } = restore;
  const isRestored = status === 'restored';
  const change = async (): Promise<void> => {
    const action = isRestored ? 'undo' : 'redo';
    if (await store.request('restore-files', { turn, action }))
      store.announce(isRestored ? l10n.t('Undone') : l10n.t('Redone'));
  };
  return (
    <div class="restored-files" role="group" aria-label={l10n.t('Restored Files')}>
      <div class="restored-head">
        <Icon name="history" />
        <span class="tool-words" title={pathsText(files)}>
          {restoredText(files.length, isRestored)}
        </span>
        {files.length > 0 && (
          <ChangeButton isSecondary isDeliberate onClick={() => background(change())}>
            {isRestored ? l10n.t('Undo Restore') : l10n.t('Redo Restore')}
          </ChangeButton>
        )}
      </div>
      {skipped.length > 0 && <div class="restored-left">{leftText(skipped, isRestored)}</div>}
    </div>
  );
}

function filesText(count: number): string {
  return count === 1 ? l10n.t('1 file') : countText(l10n.t('{0} files'), count);
}

function restoredText(count: number, isRestored: boolean): string {
  if (count === 0) return l10n.t('No files were restored');
  if (isRestored)
    return count === 1 ? l10n.t('1 file restored') : countText(l10n.t('{0} files restored'), count);
  return count === 1
    ? l10n.t('1 file restored, then undone')
    : countText(l10n.t('{0} files restored, then undone'), count);
}

function leftText(files: readonly string[], isRestored: boolean): string {
  const paths = pathsText(files);
  return isRestored
    ? l10n.t('Not restored because of later changes: {0}', paths)
    : l10n.t('Not undone because of later changes: {0}', paths);
}

/** Maximum number of listed paths. */
const mostPaths = 20;

function pathsText(paths: readonly string[]): string {
  const named = paths.slice(0, mostPaths).map((path) => revealInvisible(path).text);
  return [...named, ...(paths.length > mostPaths ? ['…'] : [])].join(', ');
}
