import * as l10n from '@vscode/l10n';
import type { FileChange } from '../../core/conversation/conversation.ts';
import type { ViewRequest } from '../../protocol/messages.ts';
import { Icon, IconButton } from '../parts/controls.tsx';
import { FileList, FileName, LineCounts } from '../parts/fileList.tsx';
import { useStore } from '../parts/hooks.ts';

type ChangeAction = Extract<ViewRequest, { type: 'changes' }>['action'];

interface Props {
  /** Identifier of the turn. */
  readonly turn: string;
  readonly changes: readonly FileChange[];
}

/** The files that a turn changed, to review, keep or undo, now and later. */
export function ChangedFiles({ turn, changes }: Props) {
  const words = countText(changes.length);
  return (
    <div class="changed-files" role="group" aria-label={words}>
      <div class="changed-head">
        <Icon name="diff-multiple" />
        <span class="tool-words">{words}</span>
        {changes.some(({ status }) => status === 'changed') && (
          <span class="changed-all">
            <AllButton turn={turn} action="undo" name={l10n.t('Undo All')} />
            <AllButton turn={turn} action="keep" name={l10n.t('Keep All')} />
          </span>
        )}
      </div>
      <FileList items={changes} keyOf={({ id }) => id}>
        {(change) => <ChangeLine turn={turn} change={change} />}
      </FileList>
    </div>
  );
}

function countText(count: number): string {
  return count === 1 ? l10n.t('1 file changed') : l10n.t('{0} files changed', count);
}

interface AllProps {
  readonly turn: string;
  readonly action: ChangeAction;
  readonly name: string;
}

function AllButton({ turn, action, name }: AllProps) {
  const store = useStore();
  return (
    <button
      type="button"
      class="button secondary"
      onClick={({ currentTarget }) => {
        focusFirst(currentTarget.closest('.changed-files'));
        void store.request({ type: 'changes', turn, action });
      }}
    >
      {name}
    </button>
  );
}

interface LineProps {
  readonly turn: string;
  readonly change: FileChange;
}

function ChangeLine({ turn, change }: LineProps) {
  const store = useStore();
  const { id, path, kind, status, addedLines, removedLines } = change;
  const act = (action: ChangeAction): void =>
    void store.request({ type: 'changes', turn, change: id, action });
  return (
    <>
      <FileName path={path} kind={kind} onClick={() => act('diff')} />
      <LineCounts added={addedLines} removed={removedLines} />
      <span class="spring" />
      {status === 'changed' ? (
        <span
          class="change-actions"
          onClickCapture={({ currentTarget }) => focusFirst(currentTarget.closest('li'))}
        >
          <IconButton icon="discard" name={l10n.t('Undo {0}', path)} onClick={() => act('undo')} />
          <IconButton icon="check" name={l10n.t('Keep {0}', path)} onClick={() => act('keep')} />
        </span>
      ) : (
        <span class="file-mark">{status === 'kept' ? l10n.t('Kept') : l10n.t('Undone')}</span>
      )}
    </>
  );
}

/** Moves the focus to the file name: a button is removed after its action. */
function focusFirst(element: Element | null): void {
  element?.querySelector<HTMLElement>('.file-name')?.focus();
}
