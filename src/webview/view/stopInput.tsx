import * as l10n from '@vscode/l10n';
import { useState } from 'preact/hooks';
import { readStop } from './optionFields.ts';

interface Props {
  readonly value: readonly string[] | undefined;
  /** What the settings say, used while the field is empty. */
  readonly setting: readonly string[] | undefined;
  readonly change: (value: readonly string[] | undefined) => void;
}

/** Stop sequences, one per line. What is being typed stays, whatever else is drawn anew. */
export function StopInput({ value, setting, change }: Props) {
  const [typed, setTyped] = useState<string>();
  const commit = (text: string): void => {
    setTyped(undefined);
    change(readStop(text));
  };
  return (
    <label class="field-label">
      <span>{l10n.t('Stop sequences, one per line')}</span>
      <textarea
        class="field"
        rows={2}
        value={typed ?? (value ?? []).join('\n')}
        placeholder={(setting ?? []).join('\n')}
        onInput={(event) => setTyped(event.currentTarget.value)}
        onBlur={() => setTyped(undefined)}
        onChange={(event) => commit(event.currentTarget.value)}
      />
    </label>
  );
}
