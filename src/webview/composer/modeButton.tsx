import * as l10n from '@vscode/l10n';
import type { ChatMode } from '../../core/conversation/mode.ts';
import { formatTokens } from '../../core/conversation/usage.ts';
import type { ToolObstacle } from '../../protocol/messages.ts';
import { Icon, IconButton } from '../parts/controls.tsx';
import { useStore } from '../parts/hooks.ts';

const icons = { chat: 'comment', ask: 'search', agent: 'tools' } as const;

export function ModeButton() {
  const store = useStore();
  const panel = store.panel.value;
  if (panel === undefined) return null;
  const { mode, cost } = panel;
  const reason = store.readOnly.value;
  const tokens = mode === 'chat' ? undefined : cost.toolTokens;
  const obstacle = mode === 'chat' ? undefined : panel.toolObstacle;
  const lines = [
    detailOf(mode),
    ...(obstacle === undefined ? [] : [obstacleText(obstacle)]),
    ...(tokens === undefined
      ? []
      : [l10n.t('Tools: {0} tokens per request', formatTokens(tokens, true))]),
  ];
  return (
    <>
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
      {obstacle === 'refused' && reason === undefined && (
        <IconButton
          icon="warning"
          name={l10n.t('Try Tools Again')}
          title={`${obstacleText(obstacle)}\n${l10n.t('Click to try tools again.')}`}
          onClick={() => store.post('try-tools', {})}
        />
      )}
    </>
  );
}

function obstacleText(obstacle: ToolObstacle): string {
  switch (obstacle) {
    case 'refused':
      return l10n.t('This model refused tools, so none are sent to it.');
    case 'model':
      return l10n.t("This model can't use tools.");
    case 'setting':
      return l10n.t('Tools are turned off in the settings.');
    case 'untrusted':
      return l10n.t('Trust this workspace to use tools.');
    case 'empty':
      return l10n.t('Open a folder or a file to use tools.');
  }
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
