import * as l10n from '@vscode/l10n';
import type { FileChange } from '../../core/conversation/conversation.ts';
import { revealInvisible } from '../../core/support/invisible.ts';

interface Props {
  /** As the person knows it. */
  readonly path: string;
  readonly kind: FileChange['kind'];
  readonly onClick: () => void;
  readonly tabIndex?: number;
}

/** A path that opens its diff. Where there is little room, the folder is what gets short. */
export function FileName({ path, kind, onClick, tabIndex = 0 }: Props) {
  const shown = revealInvisible(path).text;
  const nameAt = Math.max(shown.lastIndexOf('/'), shown.lastIndexOf('\\')) + 1;
  return (
    <>
      <button
        type="button"
        class="file-name"
        title={l10n.t('Open the diff of {0}', shown)}
        tabIndex={tabIndex}
        onClick={onClick}
      >
        <span class="file-folder">{shown.slice(0, nameAt)}</span>
        <span class="file-base">{shown.slice(nameAt)}</span>
      </button>
      {kind === 'create' && <span class="file-mark">{l10n.t('new')}</span>}
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
      aria-label={l10n.t('{0} lines added, {1} removed', added, removed)}
    >
      <span class="lines-added">+{added}</span> <span class="lines-removed">−{removed}</span>
    </span>
  );
}
