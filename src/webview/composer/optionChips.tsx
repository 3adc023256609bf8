import * as l10n from '@vscode/l10n';
import type { RequestOptions } from '../../core/conversation/conversation.ts';
import { background } from '../../core/support/background.ts';
import { ChangeIconButton } from '../parts/changeButtons.tsx';
import { useStore } from '../parts/hooks.ts';
import { withoutEmpty } from './optionFields.ts';

interface OptionChip {
  readonly option: keyof RequestOptions;
  readonly label: string;
  readonly reset: string;
}

export function OptionChips() {
  const store = useStore();
  const options = store.options.value;
  return (
    <>
      {chipsOf(options).map(({ option, label, reset }) => (
        <span key={option} class="chip option">
          <span class="chip-name" title={label}>
            {label}
          </span>
          <ChangeIconButton
            icon="close"
            name={reset}
            onClick={() => {
              // The button is removed.
              store.focus.request();
              background(
                store.optionsModel.set(
                  withoutEmpty({ ...store.options.value, [option]: undefined }),
                ),
              );
            }}
          />
        </span>
      ))}
    </>
  );
}

function chipsOf(options: RequestOptions): OptionChip[] {
  const { temperature, topP, maxTokens, stop, json } = options;
  const chips: OptionChip[] = [];
  const add = (option: keyof RequestOptions, label: string, reset: string): void => {
    chips.push({ option, label, reset });
  };
  if (temperature !== undefined)
    add('temperature', l10n.t('Temperature: {0}', temperature), l10n.t('Reset Temperature'));
  if (topP !== undefined) add('topP', l10n.t('Top P: {0}', topP), l10n.t('Reset Top P'));
  if (maxTokens !== undefined)
    add('maxTokens', l10n.t('Max tokens: {0}', maxTokens), l10n.t('Reset Max Tokens'));
  if (stop !== undefined)
    add('stop', l10n.t('Stop sequences: {0}', stop.length), l10n.t('Reset Stop Sequences'));
  if (json === true) add('json', l10n.t('JSON reply'), l10n.t('Reset JSON Reply'));
  return chips;
}
