import * as l10n from '@vscode/l10n';
import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import type { FileChange } from '../../core/conversation/conversation.ts';
import { revealInvisible } from '../../core/support/text.ts';

interface FileListProps<Item> {
  readonly items: readonly Item[];
  readonly keyOf: (item: Item) => string;
  /** What a line shows. */
  readonly children: (item: Item) => ComponentChildren;
}

/** More are shown when the person wants them. */
const initialCount = 20;

/** Files, one a line. */
export function FileList<Item>({ items, keyOf, children }: FileListProps<Item>) {
  const [all, setAll] = useState(false);
  const shown = all ? items : items.slice(0, initialCount);
  return (
    <>
      <ul class="file-list">
        {shown.map((item) => (
          <li key={keyOf(item)}>{children(item)}</li>
        ))}
      </ul>
      {shown.length < items.length && (
        <button type="button" class="link" onClick={() => setAll(true)}>
          {l10n.t('Show All {0} Files', items.length)}
        </button>
      )}
    </>
  );
}

interface FileNameProps {
  /** As the person knows it. */
  readonly path: string;
  readonly kind: FileChange['kind'];
  readonly onClick: () => void;
  readonly tabIndex?: number;
}

/** A path that opens its diff. Where there is little room, the folder is what gets short. */
export function FileName({ path, kind, onClick, tabIndex = 0 }: FileNameProps) {
  const shown = revealInvisible(path).text;
  const nameAt = Math.max(shown.lastIndexOf('/'), shown.lastIndexOf('\\')) + 1;
  return (
    <>
      <button
        type="button"
        class="file-name"
        title={l10n.t('Open diff of {0}', shown)}
        tabIndex={tabIndex}
        onClick={onClick}
      >
        <span class="file-folder">{shown.slice(0, nameAt)}</span>
        <span class="file-base">{shown.slice(nameAt)}</span>
      </button>
      {kind === 'create' && <span class="file-mark">{l10n.t('New')}</span>}
    </>
  );
}

interface CountsProps {
  readonly added: number;
  readonly removed: number;
}

/** How many lines a change adds and takes away. */
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
