import * as l10n from '@vscode/l10n';
import type { RefObject } from 'preact';
import { useEffect, useId, useLayoutEffect, useRef, useState } from 'preact/hooks';
import type { RequestOptions } from '../../core/conversation/conversation.ts';
import { background } from '../../core/support/background.ts';
import type { EffortChoice } from '../../protocol/messages.ts';
import { ChangeIconButton } from '../parts/changeButtons.tsx';
import { IconButton } from '../parts/controls.tsx';
import { useStore } from '../parts/hooks.ts';
import { numberFields, presets, readNumber, readStop, withoutEmpty } from './optionFields.ts';

/** Opens the request options of this chat above the composer. */
export function OptionsButton() {
  const store = useStore();
  const frame = useRef<HTMLSpanElement>(null);
  const [open, setOpen] = useState(false);
  const changed = Object.values(withoutEmpty(store.options.value)).length > 0;
  const close = (): void => {
    // Focus moves before the form is removed, so that the edited field fires its change event.
    frame.current?.querySelector('button')?.focus();
    setOpen(false);
  };
  // Listens on the document, because the form covers the panel wherever focus is.
  useEffect(() => {
    if (!open) return undefined;
    const onKey = (event: KeyboardEvent): void => {
      if (event.key === 'Escape') close();
    };
    const onPointer = (event: PointerEvent): void => {
      if (event.target instanceof Node && frame.current?.contains(event.target)) return;
      // Deferred until the press has moved focus: only then does the edited field fire its change
      // event.
      setTimeout(() => setOpen(false));
    };
    document.addEventListener('keydown', onKey);
    document.addEventListener('pointerdown', onPointer, true);
    return () => {
      document.removeEventListener('keydown', onKey);
      document.removeEventListener('pointerdown', onPointer, true);
    };
  }, [open]);
  return (
    <span
      class="options"
      ref={frame}
      onFocusOut={({ relatedTarget }) => {
        if (relatedTarget instanceof Node && !frame.current?.contains(relatedTarget))
          setOpen(false);
      }}
    >
      <ChangeIconButton
        className={changed ? 'options-button changed' : 'options-button'}
        icon="settings"
        name={l10n.t('Configure')}
        title={l10n.t('Chat Options')}
        expanded={open}
        onClick={() => setOpen(!open)}
      />
      {open && store.readOnly.value === undefined && <OptionsForm close={close} />}
    </span>
  );
}

/** Pixels between the form and the edge of the panel. */
const edge = 6;

/** Limits the form to the space above the composer, which is small in a magnified window. */
function useRoomAbove(form: RefObject<HTMLElement | null>): void {
  useLayoutEffect(() => {
    const listeners = new AbortController();
    const fit = (): void => {
      const { current } = form;
      const room = current?.offsetParent?.getBoundingClientRect().top;
      if (current !== null && room !== undefined) current.style.maxHeight = `${room - edge}px`;
    };
    fit();
    window.addEventListener('resize', fit, { signal: listeners.signal });
    return () => listeners.abort();
  }, [form]);
}

/** The request options of this chat. Changes apply from the next message on. */
function OptionsForm({ close }: { readonly close: () => void }) {
  const store = useStore();
  const form = useRef<HTMLDivElement>(null);
  const options = store.options.value;
  const { settings = {}, refused = [], effort } = store.panel.value ?? {};
  const change = (changed: RequestOptions): void =>
    background(store.optionsModel.set(withoutEmpty({ ...store.options.value, ...changed })));
  useRoomAbove(form);
  useLayoutEffect(() => {
    form.current?.querySelector<HTMLElement>('input:checked, input')?.focus();
  }, []);
  return (
    <div class="options-form" ref={form} role="dialog" aria-label={l10n.t('Chat Options')}>
      <div class="options-title">
        <span>{l10n.t('Chat Options')}</span>
        <IconButton icon="close" name={l10n.t('Close')} onClick={close} />
      </div>
      <PresetList options={options} settings={settings} change={change} />
      {effort && <EffortList {...effort} />}
      <div class="number-fields">
        {numberFields.map((field) => (
          <NumberInput
            key={field.name}
            field={field}
            value={options[field.name]}
            setting={settings[field.name]}
            isRefused={refused.includes(field.name)}
            change={(value) => change({ [field.name]: value })}
          />
        ))}
      </div>
      <StopInput
        value={options.stop}
        setting={settings.stop}
        isRefused={refused.includes('stop')}
        change={(stop) => change({ stop })}
      />
      <label class="check-label">
        <input
          type="checkbox"
          checked={options.json === true}
          onChange={(event) => change({ json: event.currentTarget.checked })}
        />
        <span>{l10n.t('Reply in JSON')}</span>
      </label>
      <button
        type="button"
        class="link"
        onClick={() => {
          close();
          store.post('run', { command: 'manageTools' });
        }}
      >
        {l10n.t('Manage Tools…')}
      </button>
    </div>
  );
}

/** How much the selected model thinks, which holds in all chats. */
function EffortList({ effort }: EffortChoice) {
  const store = useStore();
  const rows = [
    { level: undefined, name: l10n.t('Default') },
    { level: 'low', name: l10n.t('Low') },
    { level: 'medium', name: l10n.t('Medium') },
    { level: 'high', name: l10n.t('High') },
  ] as const;
  return (
    <div class="efforts" role="radiogroup" aria-label={l10n.t('Effort')}>
      <span aria-hidden="true">{l10n.t('Effort')}</span>
      {rows.map(({ level, name }) => (
        <label key={name} class="check-label">
          <input
            type="radio"
            name="effort"
            checked={effort === level}
            onChange={() => store.post('set-effort', level === undefined ? {} : { effort: level })}
          />
          <span>{name}</span>
        </label>
      ))}
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
      ? l10n.t("Uses the model's default")
      : l10n.t('Temperature: {0}', settings.temperature);
  const rows = [
    { temperature: undefined, name: l10n.t('Default'), use: inSettings },
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

interface NumberInputProps {
  readonly field: (typeof numberFields)[number];
  readonly value: number | undefined;
  /** Configured value, used while the field is empty. */
  readonly setting: number | undefined;
  /** True if the option isn't sent because the model refuses it. */
  readonly isRefused: boolean;
  readonly change: (value: number | undefined) => void;
}

/** Typed text that isn't applied yet, and the reason if it is invalid. */
interface Typed {
  readonly text: string;
  readonly problem: string;
}

/**
 * An optional number. An invalid value stays in the field with the reason; text being typed
 * survives a re-render.
 */
function NumberInput({ field, value, setting, isRefused, change }: NumberInputProps) {
  const id = useId();
  const [typed, setTyped] = useState<Typed>();
  const problem = typed?.problem ?? '';
  const note = problem === '' && isRefused ? refusedNote() : problem;
  const commit = (text: string): void => {
    const read = readNumber(field, text);
    setTyped('problem' in read ? { text, problem: read.problem } : undefined);
    if ('value' in read) change(read.value);
  };
  /** Hides a reason as soon as it is obsolete: later, that would move a control being clicked. */
  const type = (text: string): void => {
    const read = readNumber(field, text);
    const isStillWrong = problem !== '' && 'problem' in read;
    setTyped({ text, problem: isStillWrong ? read.problem : '' });
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
        placeholder={setting === undefined ? l10n.t('Not set') : String(setting)}
        aria-invalid={problem !== ''}
        aria-describedby={note === '' ? undefined : `${id}-note`}
        onInput={(event) => type(event.currentTarget.value)}
        onBlur={() => setTyped((last) => (last?.problem === '' ? undefined : last))}
        onChange={(event) => commit(event.currentTarget.value)}
      />
      {note !== '' && (
        <span
          class={problem === '' ? 'field-note' : 'field-problem'}
          id={`${id}-note`}
          role={problem === '' ? undefined : 'alert'}
        >
          {note}
        </span>
      )}
    </div>
  );
}

interface StopInputProps {
  readonly value: readonly string[] | undefined;
  /** Configured value, used while the field is empty. */
  readonly setting: readonly string[] | undefined;
  readonly isRefused: boolean;
  readonly change: (value: readonly string[] | undefined) => void;
}

/** Stop sequences, one per line. Text being typed survives a re-render. */
function StopInput({ value, setting, isRefused, change }: StopInputProps) {
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
      {isRefused && <span class="field-note">{refusedNote()}</span>}
    </label>
  );
}

function refusedNote(): string {
  return l10n.t("Not sent: the model doesn't accept this option.");
}
