import * as l10n from '@vscode/l10n';
import { useLayoutEffect, useRef } from 'preact/hooks';
import type { RequestOptions } from '../../core/conversation/conversation.ts';
import { IconButton } from './iconButton.tsx';
import { numberFields, withoutEmpty } from './optionFields.ts';
import { NumberInput } from './numberInput.tsx';
import { presets } from './presets.ts';
import { StopInput } from './stopInput.tsx';
import { useStore } from './storeContext.ts';

/** The request options of this chat; every change holds from the next question on. */
export function OptionsForm({ close }: { readonly close: () => void }) {
  const store = useStore();
  const form = useRef<HTMLDivElement>(null);
  const options = store.options.value;
  const settings = store.panel.value?.settings ?? {};
  const change = (changed: RequestOptions): void =>
    void store.setOptions(withoutEmpty({ ...store.options.value, ...changed }));
  useLayoutEffect(() => {
    form.current?.querySelector<HTMLElement>('input:checked, input')?.focus();
  }, []);
  return (
    <div class="options-form" ref={form} role="dialog" aria-label={l10n.t('Options of this chat')}>
      <div class="options-title">
        <span>{l10n.t('Options of this chat')}</span>
        <IconButton icon="close" name={l10n.t('Close')} onClick={close} />
      </div>
      <PresetList options={options} settings={settings} change={change} />
      <div class="number-fields">
        {numberFields.map((field) => (
          <NumberInput
            key={field.name}
            field={field}
            value={options[field.name]}
            setting={settings[field.name]}
            change={(value) => change({ [field.name]: value })}
          />
        ))}
      </div>
      <StopInput value={options.stop} setting={settings.stop} change={(stop) => change({ stop })} />
      <label class="check-label">
        <input
          type="checkbox"
          checked={options.json === true}
          onChange={(event) => change({ json: event.currentTarget.checked })}
        />
        <span>{l10n.t('Reply in JSON')}</span>
      </label>
    </div>
  );
}

interface PresetProps {
  readonly options: RequestOptions;
  readonly settings: RequestOptions;
  readonly change: (changed: RequestOptions) => void;
}

function PresetList({ options, settings, change }: PresetProps) {
  const inSettings =
    settings.temperature === undefined
      ? l10n.t("The model's own temperature")
      : l10n.t('Temperature {0}', settings.temperature);
  const rows = [
    { temperature: undefined, name: l10n.t('As in the Settings'), use: inSettings },
    ...presets.map(({ temperature, name, use }) => ({ temperature, name: name(), use: use() })),
  ];
  return (
    <div class="presets" role="radiogroup" aria-label={l10n.t('Temperature')}>
      {rows.map(({ temperature, name, use }) => (
        <label key={name} class="preset">
          <input
            type="radio"
            name="temperature"
            checked={options.temperature === temperature}
            onChange={() => change({ temperature })}
          />
          <span class="preset-name">{name}</span>
          <span class="preset-number">{temperature}</span>
          <span class="preset-use">{use}</span>
        </label>
      ))}
    </div>
  );
}
