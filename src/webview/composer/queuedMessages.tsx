import * as l10n from '@vscode/l10n';
import { useLayoutEffect, useRef } from 'preact/hooks';
import { background } from '../../core/support/background.ts';
import { truncateText } from '../../core/support/text.ts';
import type { QueuedMessage } from '../../protocol/messages.ts';
import { Icon, IconButton } from '../parts/controls.tsx';
import { useStore } from '../parts/hooks.ts';
import { stopEditing } from './composerButtons.tsx';

/** Messages that are sent when the running turn has ended, and can be changed until then. */
export function QueuedMessages() {
  const store = useStore();
  const queued = store.panel.value?.queued ?? [];
  const keepFocus = useMovedFocus(queued);
  if (queued.length === 0) return null;
  const move = async (index: number, by: 1 | -1): Promise<void> => {
    const message = queued[index];
    if (message === undefined || queued[index + by] === undefined) return;
    keepFocus();
    if (await store.request('move-queued', { message: message.id, by }))
      store.announce(l10n.t('Moved to {0} of {1}', index + by + 1, queued.length));
  };
  return (
    <ul class="queued" aria-label={l10n.t('Queued Messages')}>
      {queued.map((message, index) => (
        <QueuedRow
          key={message.id}
          message={message}
          index={index}
          count={queued.length}
          move={(by) => background(move(index, by))}
        />
      ))}
    </ul>
  );
}

/** Number of characters of a removed message that are announced. */
const spokenLength = 60;

/** Restores focus in a row that is moved: a browser removes it from reordered nodes. */
function useMovedFocus(queued: readonly QueuedMessage[]): () => void {
  const moved = useRef<Element | null>(null);
  const order = queued.map(({ id }) => id).join(' ');
  useLayoutEffect(() => {
    const focused = moved.current;
    moved.current = null;
    const isLost = document.activeElement === document.body && document.hasFocus();
    if (isLost && focused instanceof HTMLElement && focused.isConnected) focused.focus();
  }, [order]);
  return () => {
    moved.current = document.activeElement;
  };
}

interface RowProps {
  readonly message: QueuedMessage;
  readonly index: number;
  readonly count: number;
  readonly move: (by: 1 | -1) => void;
}

function QueuedRow({ message, index, count, move }: RowProps) {
  const { id, text, isEdited = false } = message;
  const store = useStore();
  const keyDown = (event: KeyboardEvent): void => {
    if (event.key === 'Escape' && !event.isComposing) stopEditing(store);
    const by = moveStep(event);
    if (by === undefined) return;
    event.preventDefault();
    move(by);
  };
  const edit = (): void => {
    // The host stores the draft in the composer.
    store.draft.flush();
    store.post('edit-queued', { message: id });
  };
  const remove = async (): Promise<void> => {
    if (await store.request('unqueue', { message: id }))
      store.announce(l10n.t('Removed: {0}', truncateText(text, spokenLength)));
  };
  return (
    <li class={isEdited ? 'edited' : undefined} onKeyDown={keyDown}>
      <Icon name={isEdited ? 'edit' : 'clock'} />
      <span class="queued-text" title={text.slice(0, 1000)}>
        {text.slice(0, 200)}
      </span>
      {count > 1 && (
        <>
          <IconButton
            icon="arrow-up"
            name={l10n.t('Move Queued Message {0} Up', index + 1)}
            title={l10n.t('Move Up (Alt+UpArrow)')}
            disabled={index === 0}
            onClick={() => move(-1)}
          />
          <IconButton
            icon="arrow-down"
            name={l10n.t('Move Queued Message {0} Down', index + 1)}
            title={l10n.t('Move Down (Alt+DownArrow)')}
            disabled={index === count - 1}
            onClick={() => move(1)}
          />
        </>
      )}
      {isEdited ? (
        <IconButton
          icon="discard"
          name={l10n.t('Stop Editing Queued Message')}
          title={l10n.t('Stop Editing (Escape)')}
          onClick={() => stopEditing(store)}
        />
      ) : (
        <IconButton
          icon="edit"
          name={
            count === 1
              ? l10n.t('Edit Queued Message')
              : l10n.t('Edit Queued Message {0}', index + 1)
          }
          title={l10n.t('Edit')}
          disabled={store.editedInQueue.value !== undefined}
          onClick={edit}
        />
      )}
      <IconButton
        icon="close"
        name={
          count === 1
            ? l10n.t('Remove Queued Message')
            : l10n.t('Remove Queued Message {0}', index + 1)
        }
        title={l10n.t('Remove')}
        onClick={() => background(remove())}
      />
    </li>
  );
}

/** Alt with an arrow key moves a message. */
function moveStep({ key, altKey, ctrlKey, metaKey, shiftKey }: KeyboardEvent): 1 | -1 | undefined {
  if (!altKey || ctrlKey || metaKey || shiftKey) return undefined;
  if (key === 'ArrowUp') return -1;
  return key === 'ArrowDown' ? 1 : undefined;
}
