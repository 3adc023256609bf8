import * as l10n from '@vscode/l10n';
import type { ComponentChildren } from 'preact';
import { useStore } from './storeContext.ts';

/** Where questions go and, as its children, what that costs, in small print under the composer. */
export function ComposerFoot({ children }: { readonly children: ComponentChildren }) {
  const store = useStore();
  const panel = store.panel.value;
  if (panel === undefined) return null;
  const { connection, waiting } = panel;
  return (
    <div class="composer-foot">
      {connection.kind === 'demo' && (
        <span class="badge" title={l10n.t('Replies come from inside Aside; nothing is sent.')}>
          {l10n.t('Demo')}
        </span>
      )}
      {connection.kind === 'service' && <span class="host">{connection.host}</span>}
      {waiting > 0 && (
        <span class="waiting">
          {waiting === 1
            ? l10n.t('1 more question waits')
            : l10n.t('{0} more questions wait', waiting)}
        </span>
      )}
      {children}
    </div>
  );
}
