import * as l10n from '@vscode/l10n';
import { useId, useState } from 'preact/hooks';
import { readNumber, type numberFields } from './optionFields.ts';

interface Props {
  readonly field: (typeof numberFields)[number];
  readonly value: number | undefined;
  /** What the settings say, used while the field is empty. */
  readonly setting: number | undefined;
  readonly change: (value: number | undefined) => void;
}

/** A number that may be left empty. What is out of range stays in the field, with the reason. */
export function NumberInput({ field, value, setting, change }: Props) {
  const id = useId();
  const [refused, setRefused] = useState({ text: '', problem: '' });
  const { problem } = refused;
  const commit = (text: string): void => {
    const read = readNumber(field, text);
    setRefused({ text, problem: 'problem' in read ? read.problem : '' });
    if ('value' in read) change(read.value);
  };
  return (
    <div class="field-label">
      <label for={id}>{field.label()}</label>
      <input
        id={id}
        class={problem === '' ? 'field' : 'field invalid'}
        type="text"
        inputMode="decimal"
        value={problem === '' ? (value ?? '') : refused.text}
        placeholder={setting === undefined ? l10n.t('not set') : String(setting)}
        aria-invalid={problem !== ''}
        aria-describedby={problem === '' ? undefined : `${id}-problem`}
        onChange={(event) => commit(event.currentTarget.value)}
      />
      {problem !== '' && (
        <span class="field-problem" id={`${id}-problem`} role="alert">
          {problem}
        </span>
      )}
    </div>
  );
}
