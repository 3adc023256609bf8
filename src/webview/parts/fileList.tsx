import * as l10n from '@vscode/l10n';
import type { ComponentChildren } from 'preact';
import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import type { FileChange } from '../../core/conversation/conversation.ts';
import { revealInvisible } from '../../core/support/text.ts';
import { countText } from './format.ts';

interface FileListProps<Item> {
  readonly items: readonly Item[];
  readonly keyOf: (item: Item) => string;
  readonly children: (item: Item) => ComponentChildren;
}

/** Number of files that are shown initially. */
const initialCount = 20;

export function FileList<Item>({ items, keyOf, children }: FileListProps<Item>) {
  const [all, setAll] = useState(false);
  const list = useRef<HTMLUListElement>(null);
  const visibleItems = all ? items : items.slice(0, initialCount);
  useLayoutEffect(() => {
    // The button was removed.
    const first = all ? list.current?.children[initialCount] : undefined;
    first?.querySelector<HTMLElement>('button')?.focus();
  }, [all]);
  return (
    <>
      <ul class="file-list" ref={list}>
        {visibleItems.map((item) => (
          <li key={keyOf(item)}>{children(item)}</li>
        ))}
      </ul>
      {visibleItems.length < items.length && (
        <button type="button" class="link" onClick={() => setAll(true)}>
          {countText(l10n.t('Show All {0} Files'), items.length)}
        </button>
      )}
    </>
  );
}

interface FileNameProps {
  readonly path: string;
  readonly kind: FileChange['kind'];
  readonly onClick: () => void;
  readonly tabIndex?: number;
  /** Accessible name if it isn't the path, which is then the description. */
  readonly name?: string | undefined;
  /** Reason why the diff can't be opened now. */
  readonly disabled?: string | undefined;
}

/** A path that opens the file's diff. A narrow panel truncates the folder. */
export function FileName({ path, kind, onClick, tabIndex = 0, name, disabled }: FileNameProps) {
  const visiblePath = revealInvisible(path).text;
  const nameAt = Math.max(visiblePath.lastIndexOf('/'), visiblePath.lastIndexOf('\\')) + 1;
  return (
    <>
      <button
        type="button"
        class="file-name"
        aria-label={name ?? visiblePath}
        title={disabled ?? l10n.t('Open diff of {0}', visiblePath)}
        disabled={disabled !== undefined}
        tabIndex={tabIndex}
        onClick={onClick}
      >
        <span class="file-folder">{visiblePath.slice(0, nameAt)}</span>
        <span class="file-base">{visiblePath.slice(nameAt)}</span>
      </button>
      {kind === 'create' && <span class="file-mark">{l10n.t('New')}</span>}
    </>
  );
}

interface CountsProps {
  readonly added: number;
  readonly removed: number;
}

/** The number of lines that a change adds and removes. */
export function LineCounts({ added, removed }: CountsProps) {
  return (
    <span
      class="line-counts"
      role="img"
      aria-label={l10n.t('Lines added: {0}, removed: {1}', added, removed)}
    >
      <span class="lines-added">+{added}</span> <span class="lines-removed">−{removed}</span>
    </span>
  );
}
