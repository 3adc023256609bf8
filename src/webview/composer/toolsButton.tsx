import * as l10n from '@vscode/l10n';
import { formatTokens } from '../../core/conversation/usage.ts';
import { IconButton } from '../parts/controls.tsx';
import { useStore } from '../parts/hooks.ts';

/** Switches off the tools of this chat, which cost tokens with each request. */
export function ToolsButton() {
  const store = useStore();
  const { withoutTools = false, ...others } = store.options.value;
  const tokens = store.panel.value?.cost.toolTokens;
  if (tokens === undefined && !withoutTools) return null;
  return (
    <IconButton
      className="tools-button"
      icon="tools"
      name={l10n.t('Send without Tools')}
      title={tooltip(withoutTools, tokens)}
      pressed={withoutTools}
      onClick={() =>
        void store.setOptions(withoutTools ? others : { ...others, withoutTools: true })
      }
    />
  );
}

function tooltip(withoutTools: boolean, tokens: number | undefined): string {
  if (tokens === undefined) return l10n.t('Send without Tools');
  const count = formatTokens(tokens, true);
  return withoutTools
    ? l10n.t('Tools are off in this chat, which saves {0} tokens per request', count)
    : l10n.t('Send without Tools (saves {0} tokens per request)', count);
}
