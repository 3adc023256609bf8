import * as l10n from '@vscode/l10n';
import { useEffect, useId, useLayoutEffect, useRef, useState } from 'preact/hooks';
import type { RequestOptions } from '../../core/conversation/conversation.ts';
import { background } from '../../core/support/background.ts';
import type { EffortChoice } from '../../protocol/messages.ts';
import { ChangeIconButton, IconButton } from '../parts/controls.tsx';
import { useStore } from '../parts/hooks.ts';

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
    const listeners = new AbortController();
    const { signal } = listeners;
    const keyDown = (event: KeyboardEvent): void => {
      if (event.key === 'Escape') close();
    };
    const press = (event: PointerEvent): void => {
      if (event.target instanceof Node && frame.current?.contains(event.target)) return;
      // Deferred until the press has moved focus: only then does the edited field fire its change
      // event.
      setTimeout(() => setOpen(false));
    };
    document.addEventListener('keydown', keyDown, { signal });
    document.addEventListener('pointerdown', press, { signal, capture: true });
    return () => listeners.abort();
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

/** The options that the chat sets, each with a button that resets it. */
export function OptionChips() {
  const store = useStore();
  const options = store.options.value;
  const { temperature, topP, maxTokens, stop, json } = options;
  const chips: (readonly [option: keyof RequestOptions, label: string, reset: string])[] = [];
  if (temperature !== undefined)
    chips.push([
      'temperature',
      l10n.t('Temperature: {0}', temperature),
      l10n.t('Reset Temperature'),
    ]);
  if (topP !== undefined) chips.push(['topP', l10n.t('Top P: {0}', topP), l10n.t('Reset Top P')]);
  if (maxTokens !== undefined)
    chips.push(['maxTokens', l10n.t('Max tokens: {0}', maxTokens), l10n.t('Reset Max Tokens')]);
  if (stop !== undefined)
    chips.push([
      'stop',
      l10n.t('Stop sequences: {0}', stop.length),
      l10n.t('Reset Stop Sequences'),
    ]);
  if (json === true) chips.push(['json', l10n.t('JSON reply'), l10n.t('Reset JSON Reply')]);
  return (
    <>
      {chips.map(([option, label, reset]) => (
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
              background(store.setOptions(withoutEmpty({ ...options, [option]: undefined })));
            }}
          />
        </span>
      ))}
    </>
  );
}

/** Pixels between the form and the edge of the panel. */
const edge = 6;

/** The request options of this chat. Changes apply from the next message on. */
function OptionsForm({ close }: { readonly close: () => void }) {
  const store = useStore();
  const form = useRef<HTMLDivElement>(null);
  const options = store.options.value;
  const { settings = {}, refused = [], effort } = store.panel.value ?? {};
  const change = (changed: RequestOptions): void =>
    background(store.setOptions(withoutEmpty({ ...store.options.value, ...changed })));
  // The space above the composer is small in a magnified window.
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
  }, []);
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

/** Temperatures from the ranges that the service recommends for each purpose. */
function PresetList({ options, settings, change }: PresetProps) {
  const inSettings =
    settings.temperature === undefined
      ? l10n.t("Uses the model's default")
      : l10n.t('Temperature: {0}', settings.temperature);
  const rows: readonly (readonly [temperature: number | undefined, name: string, use: string])[] = [
    [undefined, l10n.t('Default'), inSettings],
    [0.2, l10n.t('Precise'), l10n.t('Extraction, classification, facts')],
    [0.8, l10n.t('Balanced'), l10n.t('General conversation')],
    [1.4, l10n.t('Creative'), l10n.t('Brainstorming, storytelling')],
  ];
  return (
    <div class="presets" role="radiogroup" aria-label={l10n.t('Temperature')}>
      {rows.map(([temperature, name, use]) => (
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

/**
 * An optional number. An invalid value stays in the field with the reason; text being typed
 * survives a re-render.
 */
function NumberInput({ field, value, setting, isRefused, change }: NumberInputProps) {
  const id = useId();
  // Typed text that isn't applied yet, and the reason if it is invalid.
  const [typed, setTyped] = useState<{ readonly text: string; readonly problem: string }>();
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

/** A parsed number of the options form, or the reason why it is invalid. */
type FieldValue = { readonly value: number | undefined } | { readonly problem: string };

interface NumberField {
  readonly name: 'temperature' | 'topP' | 'maxTokens';
  readonly label: () => string;
  readonly rule: () => string;
  readonly accepts: (value: number) => boolean;
}

export const numberFields: readonly NumberField[] = [
  {
    name: 'temperature',
    label: () => l10n.t('Temperature'),
    rule: () => l10n.t('Enter a number from 0 to 2.'),
    accepts: (value) => value >= 0 && value <= 2,
  },
  {
    name: 'topP',
    label: () => l10n.t('Top P'),
    rule: () => l10n.t('Enter a number from 0 to 1.'),
    accepts: (value) => value >= 0 && value <= 1,
  },
  {
    name: 'maxTokens',
    label: () => l10n.t('Max tokens'),
    rule: () => l10n.t('Enter a whole number of 1 or more.'),
    accepts: (value) => Number.isSafeInteger(value) && value >= 1,
  },
];

/** An empty field stands for the configured value. A comma is read as a decimal point. */
export function readNumber(field: NumberField, text: string): FieldValue {
  const trimmed = text.trim();
  if (trimmed === '') return { value: undefined };
  const value = /^[-+]?[\d.,]+$/.test(trimmed) ? Number(trimmed.replace(',', '.')) : Number.NaN;
  return field.accepts(value) ? { value } : { problem: field.rule() };
}

/** Reads one stop sequence per line. Blank lines are skipped; other spaces are significant. */
export function readStop(text: string): readonly string[] | undefined {
  const lines = text.split('\n').filter((line) => line.trim() !== '');
  return lines.length === 0 ? undefined : lines;
}

export function withoutEmpty(options: RequestOptions): RequestOptions {
  const { temperature, topP, maxTokens, stop, json } = options;
  return {
    ...(temperature !== undefined && { temperature }),
    ...(topP !== undefined && { topP }),
    ...(maxTokens !== undefined && { maxTokens }),
    ...(stop !== undefined && stop.length > 0 && { stop }),
    ...(json === true && { json }),
  };
}
