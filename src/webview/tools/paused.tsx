import * as l10n from '@vscode/l10n';
import { roundsOfTurn, type Turn } from '../../core/conversation/conversation.ts';
import { formatTokens, shownCount } from '../../core/conversation/usage.ts';
import { ChangeButton } from '../parts/changeButtons.tsx';
import { Icon } from '../parts/controls.tsx';
import { countText } from '../parts/format.ts';
import { useStore } from '../parts/hooks.ts';

/** A turn that reached a limit: the reason, the tokens used, and a button to continue. */
export function Paused({ turn }: { readonly turn: Turn }) {
  const store = useStore();
  return (
    <div class="outcome paused" role="group" aria-label={l10n.t('Paused')}>
      <Icon name="debug-pause" />
      <div class="outcome-body">
        <div class="outcome-text">{[reasonText(turn), usageText(turn)].join('\n').trim()}</div>
        <div class="button-row">
          <ChangeButton onClick={() => store.post('resume', {})}>{l10n.t('Continue')}</ChangeButton>
          <ChangeButton isSecondary onClick={() => store.post('stop', {})}>
            {l10n.t('Stop')}
          </ChangeButton>
        </div>
      </div>
    </div>
  );
}

function reasonText(turn: Turn): string {
  const { pause } = turn;
  if (pause?.reason === 'repeat' && pause.tool !== undefined)
    return l10n.t('Paused: the model keeps repeating the same {0} call.', pause.tool);
  const rounds = roundsOfTurn(turn);
  return rounds === 1
    ? l10n.t('Paused after 1 tool round.')
    : countText(l10n.t('Paused after {0} tool rounds.'), rounds);
}

function usageText({ usage }: Turn): string {
  if (usage === undefined) return '';
  const { total_tokens: tokens, estimated } = usage;
  const amount = formatTokens(tokens, estimated);
  return countText(l10n.t('{0} tokens so far'), shownCount(tokens), amount);
}
