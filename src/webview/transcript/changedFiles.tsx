import * as l10n from '@vscode/l10n';
import { background } from '../../core/support/background.ts';
import type { FileChange } from '../../core/conversation/conversation.ts';
import type { CallParameters } from '../../protocol/rpc.ts';
import { ChangeButton, ChangeIconButton, Icon } from '../parts/controls.tsx';
import { FileList, FileName, LineCounts } from '../parts/fileList.tsx';
import { countText } from '../parts/format.ts';
import { useStore } from '../parts/hooks.ts';

type ChangeAction = CallParameters['changes']['action'];

interface Props {
  readonly turn: string;
  readonly changes: readonly FileChange[];
}

/** The files that a turn changed, to review, keep, undo or redo, now and later. */
export function ChangedFiles({ turn, changes }: Props) {
  const canUndo = changes.some(({ status }) => status === 'changed');
  const canRedo = changes.some(({ status }) => status === 'undone');
  const redoAll = l10n.t('Redo All');
  const words =
    changes.length === 1
      ? l10n.t('1 file changed')
      : countText(l10n.t('{0} files changed'), changes.length);
  return (
    <div class="changed-files" role="group" aria-label={words}>
      <div class="changed-head">
        <Icon name="diff-multiple" />
        <span class="tool-words">{words}</span>
        {(canUndo || canRedo) && (
          <span class="changed-all">
            {/* The first button alternates between Undo and Redo, so that it keeps focus. */}
            <AllButton
              turn={turn}
              action={canUndo ? 'undo' : 'redo'}
              name={canUndo ? l10n.t('Undo All') : redoAll}
              stays
            />
            {canUndo && canRedo && <AllButton turn={turn} action="redo" name={redoAll} />}
            {canUndo && <AllButton turn={turn} action="keep" name={l10n.t('Keep All')} />}
          </span>
        )}
      </div>
      <FileList items={changes} keyOf={({ id }) => id}>
        {(change) => <ChangeLine turn={turn} change={change} />}
      </FileList>
    </div>
  );
}

interface AllProps {
  readonly turn: string;
  readonly action: ChangeAction;
  readonly name: string;
  /** True if a button will still be there after the action. */
  readonly stays?: boolean;
}

function AllButton({ turn, action, name, stays = false }: AllProps) {
  const act = useChangeAction(turn);
  return (
    <ChangeButton
      isSecondary
      isDeliberate
      onClick={({ currentTarget }) => {
        if (!stays) focusFirst(currentTarget.closest('.changed-files'));
        act(action);
      }}
    >
      {name}
    </ChangeButton>
  );
}

/** Requests an action on one file of the turn, or on all, and announces its result. */
function useChangeAction(turn: string): (action: ChangeAction, change?: string) => void {
  const store = useStore();
  const act = async (action: ChangeAction, change?: string): Promise<void> => {
    const id = change === undefined ? {} : { change };
    if (!(await store.call('changes', { turn, ...id, action })) || action === 'diff') return;
    const done = { keep: l10n.t('Kept'), undo: l10n.t('Undone'), redo: l10n.t('Redone') };
    store.announce(done[action]);
  };
  return (action, change) => background(act(action, change));
}

function ChangeLine({ turn, change }: { readonly turn: string; readonly change: FileChange }) {
  const { id, path, kind, status, addedLines, removedLines } = change;
  const isUndone = status === 'undone';
  const act = useChangeAction(turn);
  return (
    <>
      <FileName path={path} kind={kind} onClick={() => act('diff', id)} />
      <LineCounts added={addedLines} removed={removedLines} />
      <span class="spring" />
      {status !== 'changed' && (
        <span class="file-mark">{status === 'kept' ? l10n.t('Kept') : l10n.t('Undone')}</span>
      )}
      {status !== 'kept' && (
        <span class="change-actions">
          {/* The first button alternates between Undo and Redo, so that it keeps focus. */}
          <ChangeIconButton
            icon={isUndone ? 'redo' : 'discard'}
            name={isUndone ? l10n.t('Redo {0}', path) : l10n.t('Undo {0}', path)}
            isDeliberate
            onClick={() => act(isUndone ? 'redo' : 'undo', id)}
          />
          {status === 'changed' && (
            <ChangeIconButton
              icon="check"
              name={l10n.t('Keep {0}', path)}
              isDeliberate
              onClick={({ currentTarget }) => {
                focusFirst(currentTarget.closest('li'));
                act('keep', id);
              }}
            />
          )}
        </span>
      )}
    </>
  );
}

/** Focuses the file name, since a button is removed after its action. */
function focusFirst(element: Element | null): void {
  element?.querySelector<HTMLElement>('.file-name')?.focus();
}
