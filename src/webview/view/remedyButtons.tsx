import * as l10n from '@vscode/l10n';
import type { Remedy } from '../../core/conversation/conversation.ts';
import type { ViewRequest } from '../../protocol/messages.ts';
import { useStore } from './storeContext.ts';

interface Props {
  /** Identifier of the turn that failed. */
  readonly turn: string;
  readonly remedy: Remedy | undefined;
  /** Whether another button is the better choice. */
  readonly secondary: boolean;
}

/** The button that helps, and one to ask again once it has. */
export function RemedyButtons({ turn, remedy, secondary }: Props) {
  const store = useStore();
  const help = async (request: ViewRequest): Promise<void> => {
    const done = await store.request(request);
    // Like each button that asks again, it is gone then.
    if (done && request.type === 'retry-without-tools') store.focusComposer();
  };
  const again: ViewRequest = { type: 'retry', turn, chooseModel: false };
  return (
    <>
      {remedy !== undefined && remedy !== 'try-again' && (
        <button type="button" class="button" onClick={() => void help(requestFor(remedy, turn))}>
          {nameOf(remedy)}
        </button>
      )}
      <button
        type="button"
        class={remedy === 'try-again' && !secondary ? 'button' : 'button secondary'}
        onClick={() => void store.request(again)}
      >
        {l10n.t('Try Again')}
      </button>
    </>
  );
}

type OtherRemedy = Exclude<Remedy, 'try-again'>;

function nameOf(remedy: OtherRemedy): string {
  switch (remedy) {
    case 'set-api-key':
      return l10n.t('Set API Key');
    case 'select-model':
      return l10n.t('Select Model');
    case 'open-console':
      return l10n.t('Open Console');
    case 'connect':
      return l10n.t('Connect');
    case 'without-tools':
      return l10n.t('Send Without Tools');
  }
}

function requestFor(remedy: OtherRemedy, turn: string): ViewRequest {
  if (remedy === 'without-tools') return { type: 'retry-without-tools', turn };
  const commands = {
    'set-api-key': 'setApiKey',
    'select-model': 'selectModel',
    'open-console': 'openConsole',
    connect: 'connect',
  } as const;
  return { type: 'run', command: commands[remedy] };
}
