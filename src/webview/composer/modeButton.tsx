import * as l10n from '@vscode/l10n';
import type { ChatMode } from '../../core/conversation/mode.ts';
import { formatTokens } from '../../core/conversation/usage.ts';
import { Icon } from '../parts/controls.tsx';
import { useStore } from '../parts/hooks.ts';

const icons = { chat: 'comment', ask: 'search', agent: 'tools' } as const;

export function ModeButton() {
  const store = useStore();
  const panel = store.panel.value;
  if (panel === undefined) return null;
  const { mode, cost } = panel;
  const reason = store.readOnly.value;
  const tokens = mode === 'chat' ? undefined : cost.toolTokens;
  const lines = [
    detailOf(mode),
    ...(tokens === undefined
      ? []
      : [l10n.t('Tools: {0} tokens per request', formatTokens(tokens, true))]),
  ];
  return (
    <button
      type="button"
      class="model-button mode-button"
      aria-label={l10n.t('Mode: {0}', modeName(mode))}
      title={reason ?? lines.join('\n')}
      disabled={reason !== undefined}
      onClick={() => store.post('run', { command: 'setMode' })}
    >
      <Icon name={icons[mode]} />
      <span class="mode-name">{modeName(mode)}</span>
    </button>
  );
}

export function modeName(mode: ChatMode): string {
  switch (mode) {
    case 'chat':
      return l10n.t('Chat');
    case 'ask':
      return l10n.t('Ask');
    case 'agent':
      return l10n.t('Agent');
  }
}

function detailOf(mode: ChatMode): string {
  switch (mode) {
    case 'chat':
      return l10n.t('No tools. Costs the fewest tokens.');
    case 'ask':
      return l10n.t('Tools that only read: files, searches, problems.');
    case 'agent':
      return l10n.t('All tools. Edits and commands need your approval.');
  }
}
