import * as l10n from '@vscode/l10n';
import { ChangeButton } from '../parts/changeButtons.tsx';
import { useStore } from '../parts/hooks.ts';

/** The buttons below a plan that can be started. Each switches the chat to Agent, as its title says. */
export function PlanButtons({ turn }: { readonly turn: string }) {
  const store = useStore();
  if (store.panel.value?.plan !== turn) return null;
  return (
    <div class="button-row">
      <ChangeButton
        title={l10n.t('Switch to Agent and carry out the plan')}
        onClick={() => store.post('plan', { turn, action: 'start' })}
      >
        {l10n.t('Start')}
      </ChangeButton>
      <ChangeButton
        isSecondary={true}
        title={l10n.t('Switch to Agent and edit the plan before you send it')}
        onClick={() => store.post('plan', { turn, action: 'edit' })}
      >
        {l10n.t('Edit Plan')}
      </ChangeButton>
    </div>
  );
}
