import * as l10n from '@vscode/l10n';
import { background } from '../../core/support/background.ts';
import type { FileChange } from '../../core/conversation/conversation.ts';
import type { RequestParameters } from '../../protocol/rpc.ts';
import { ChangeButton, ChangeIconButton, Icon } from '../parts/controls.tsx';
import { FileList, FileName, LineCounts } from '../parts/fileList.tsx';
import { countText } from '../parts/format.ts';
import { useStore } from '../parts/hooks.ts';

type ChangeAction = RequestParameters['changes']['action'];

interface Props {
  readonly turn: string;
  readonly changes: readonly FileChange[];
}

/** The files that a turn changed, to review, keep, undo or redo, now and later. */
export function ChangedFiles({ turn, changes }: Props) {
  const words =
    changes.length === 1
      ? l10n.t('1 file changed')
      : countText(l10n.t('{0} files changed'), changes.length);
  return (
    <div class="changed-files" role="group" aria-label={words}>
      <div class="changed-head">
        <Icon name="diff-multiple" />
        <span class="tool-words">{words}</span>
        <AllButtons turn={turn} changes={changes} />
      </div>
      <FileList items={changes} keyOf={({ id }) => id}>
        {(change) => <ChangeLine turn={turn} change={change} />}
      </FileList>
    </div>
  );
}

/** The first button alternates between Undo All and Redo All, so that it keeps focus. */
function AllButtons({ turn, changes }: Props) {
  const canUndo = changes.some(({ status }) => status === 'changed');
  const canRedo = changes.some(({ status }) => status === 'undone');
  if (!canUndo && !canRedo) return null;
  const redoAll = l10n.t('Redo All');
  return (
    <span class="changed-all">
      {canUndo ? (
        <AllButton turn={turn} action="undo" name={l10n.t('Undo All')} stays />
      ) : (
        <AllButton turn={turn} action="redo" name={redoAll} stays />
      )}
      {canUndo && canRedo && <AllButton turn={turn} action="redo" name={redoAll} />}
      {canUndo && <AllButton turn={turn} action="keep" name={l10n.t('Keep All')} />}
    </span>
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
  return (action, change) => {
    const request = store.request('changes', {
      turn,
      ...(change === undefined ? {} : { change }),
      action,
    });
    background(
      request.then((isDone) => {
        if (isDone && action !== 'diff') store.announce(doneText(action));
      }),
    );
  };
}

function doneText(action: Exclude<ChangeAction, 'diff'>): string {
  switch (action) {
    case 'keep':
      return l10n.t('Kept');
    case 'undo':
      return l10n.t('Undone');
    case 'redo':
      return l10n.t('Redone');
  }
}

function ChangeLine({ turn, change }: { readonly turn: string; readonly change: FileChange }) {
  const { id, path, kind, status, addedLines, removedLines } = change;
  const act = useChangeAction(turn);
  return (
    <>
      <FileName path={path} kind={kind} onClick={() => act('diff', id)} />
      <LineCounts added={addedLines} removed={removedLines} />
      <span class="spring" />
      {status !== 'changed' && (
        <span class="file-mark">{status === 'kept' ? l10n.t('Kept') : l10n.t('Undone')}</span>
      )}
      {status !== 'kept' && <ChangeButtons change={change} act={(action) => act(action, id)} />}
    </>
  );
}

interface ButtonsProps {
  readonly change: FileChange;
  readonly act: (action: ChangeAction) => void;
}

/** The first button alternates between Undo and Redo, so that it keeps focus. */
function ChangeButtons({ change: { path, status }, act }: ButtonsProps) {
  if (status === 'undone') {
    return (
      <span class="change-actions">
        <ChangeIconButton
          icon="redo"
          name={l10n.t('Redo {0}', path)}
          isDeliberate
          onClick={() => act('redo')}
        />
      </span>
    );
  }
  return (
    <span class="change-actions">
      <ChangeIconButton
        icon="discard"
        name={l10n.t('Undo {0}', path)}
        isDeliberate
        onClick={() => act('undo')}
      />
      <ChangeIconButton
        icon="check"
        name={l10n.t('Keep {0}', path)}
        isDeliberate
        onClick={({ currentTarget }) => {
          focusFirst(currentTarget.closest('li'));
          act('keep');
        }}
      />
    </span>
  );
}

/** Focuses the file name, since a button is removed after its action. */
function focusFirst(element: Element | null): void {
  element?.querySelector<HTMLElement>('.file-name')?.focus();
}
