/** Lines between turns that mark the part of a long chat that is sent. Most chats have none. */
import * as l10n from '@vscode/l10n';
import type { Summary } from '../../core/conversation/conversation.ts';
import { background } from '../../core/support/background.ts';
import { ChangeButton } from '../parts/changeButtons.tsx';
import { useFold, useStore } from '../parts/hooks.ts';
import { Prose } from './prose.tsx';

/** Shown before the first turn that is sent with the newest message. */
export function FirstSent() {
  return (
    <p class="context-cut" role="note">
      {l10n.t('Messages above are no longer sent: they exceed the context window.')}
    </p>
  );
}

/** Shown before the first turn whose tool results are sent in full. */
export function ShortResults() {
  return (
    <p class="context-cut" role="note">
      {l10n.t('Tool results above are sent as one line each, to fit the context window.')}
    </p>
  );
}

/** Shown after the turns that a summary replaces, with a button to send them again. */
export function SummaryMark({ summary }: { readonly summary: Summary }) {
  const store = useStore();
  const { id, text, model, unused = false } = summary;
  const { open, onToggle } = useFold(false, false);
  const change = async (): Promise<void> => {
    if (!(await store.request('use-summary', { summary: id, used: unused }))) return;
    const done = unused
      ? l10n.t('Messages above are sent as a summary.')
      : l10n.t('Messages above are sent again.');
    store.announce(done);
  };
  return (
    <div class="context-cut summary-mark" role="group" aria-label={l10n.t('Summary')}>
      <p>
        {unused
          ? l10n.t("The summary of the messages above isn't sent.")
          : l10n.t('Messages above are sent as a summary.')}
      </p>
      <details open={open} onToggle={onToggle}>
        <summary>{l10n.t('Summary by {0}', model)}</summary>
        {open && <Prose turn="" text={text} index={0} live={false} />}
      </details>
      <ChangeButton isSecondary onClick={() => background(change())}>
        {unused ? l10n.t('Send the Summary') : l10n.t('Send the Messages Again')}
      </ChangeButton>
    </div>
  );
}
