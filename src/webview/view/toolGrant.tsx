import * as l10n from '@vscode/l10n';
import { Icon } from './iconButton.tsx';
import { useStore } from './storeContext.ts';

/** What let a call run without a question, and the way to take that back. */
export function ToolGrant({ grant }: { readonly grant: string }) {
  const store = useStore();
  return (
    <div class="tool-note">
      <Icon name="shield" />
      <span class="tool-words">{grantWords(grant)}</span>
      <button
        type="button"
        class="link"
        onClick={() => void store.request({ type: 'run', command: 'manageTools' })}
      >
        {l10n.t('Revoke…')}
      </button>
    </div>
  );
}

export function grantWords(grant: string): string {
  return l10n.t('Allowed by your decision: {0}', grant);
}
