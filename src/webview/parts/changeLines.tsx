import * as l10n from '@vscode/l10n';
import type { ChangedLines } from '../../core/support/changedLines.ts';
import { revealInvisible } from '../../core/support/text.ts';
import { countText } from './format.ts';

interface Props {
  readonly change: ChangedLines;
  /** The file, if there are several. */
  readonly path?: string | undefined;
}

/** Removed and added lines with their numbers, as in the diff editor. */
export function ChangeLines({ change: { lines, more }, path }: Props) {
  if (lines.length === 0) return null;
  return (
    <div
      class="change-lines"
      role="group"
      aria-label={path === undefined ? l10n.t('Change') : l10n.t('Change of {0}', path)}
      tabIndex={0}
    >
      {lines.map(({ sign, number, text }, index) => {
        const isAdded = sign === '+';
        return (
          <div key={index} class={isAdded ? 'change-line added' : 'change-line removed'}>
            <span class="change-number">{number}</span>
            <span
              class="change-sign"
              role="img"
              aria-label={isAdded ? l10n.t('Added') : l10n.t('Removed')}
            >
              {isAdded ? '+' : '−'}
            </span>
            <code>{revealInvisible(text).text}</code>
          </div>
        );
      })}
      {more > 0 && (
        <div class="change-more">{countText(l10n.t('… and {0} more lines in the diff'), more)}</div>
      )}
    </div>
  );
}
