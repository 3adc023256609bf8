import * as l10n from '@vscode/l10n';
import { useId, useLayoutEffect, useState } from 'preact/hooks';
import { readNumber, type numberFields } from './optionFields.ts';

interface Props {
  readonly field: (typeof numberFields)[number];
  readonly value: number | undefined;
  /** What the settings say, used while the field is empty. */
  readonly setting: number | undefined;
  readonly change: (value: number | undefined) => void;
}

/** What is in the field and not in the options, and why not if it was refused. */
interface Typed {
  readonly text: string;
  readonly problem: string;
}

/**
 * A number that may be left empty. What is out of range stays in the field, with the reason; what
 * is being typed stays as well, whatever else is drawn anew.
 */
export function NumberInput({ field, value, setting, change }: Props) {
  const id = useId();
  const [typed, setTyped] = useState<Typed>();
  const problem = typed?.problem ?? '';
  const commit = (text: string): void => {
    const read = readNumber(field, text);
    setTyped('problem' in read ? { text, problem: read.problem } : undefined);
    if ('value' in read) change(read.value);
  };
  useLayoutEffect(() => setTyped(undefined), [value]);
  return (
    <div class="field-label">
      <label for={id}>{field.label()}</label>
      <input
        id={id}
        class={problem === '' ? 'field' : 'field invalid'}
        type="text"
        inputMode="decimal"
        value={typed?.text ?? value ?? ''}
        placeholder={setting === undefined ? l10n.t('not set') : String(setting)}
        aria-invalid={problem !== ''}
        aria-describedby={problem === '' ? undefined : `${id}-problem`}
        onInput={(event) => setTyped({ text: event.currentTarget.value, problem })}
        onBlur={() => setTyped((last) => (last?.problem === '' ? undefined : last))}
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
