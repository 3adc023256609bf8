import * as l10n from '@vscode/l10n';
import { Fragment } from 'preact';
import { useEffect } from 'preact/hooks';
import type { RequestOptions } from '../../core/conversation/conversation.ts';
import { background } from '../../core/support/background.ts';
import type { SendCost } from '../../protocol/messages.ts';
import { ChangeIconButton } from '../parts/changeButtons.tsx';
import { Icon } from '../parts/controls.tsx';
import { asSentences } from '../parts/format.ts';
import { useStore } from '../parts/hooks.ts';
import { AttachmentChips } from './attachmentChips.tsx';
import { CompletionList } from './completionList.tsx';
import { costText, meterText } from './costWords.ts';
import { DropTarget, usePaste } from './dropAndPaste.tsx';
import { withoutEmpty } from './optionFields.ts';
import { QueuedMessages } from './queuedMessages.tsx';

/**
 * The area above the message field: completions, queued messages, attachments and options. It isn't
 * needed to type and send, so it is rendered after the first paint.
 */
export function ComposerHeader({ field }: { readonly field: HTMLTextAreaElement }) {
  const { draft, panel } = useStore();
  usePaste(field, draft);
  return (
    <>
      <CompletionList field={field} message={draft} />
      <DropTarget />
      <QueuedMessages />
      <div class="chips">
        <AttachmentChips
          attachments={panel.value?.attachments ?? []}
          message={draft}
          field={field}
        />
        <OptionChips />
      </div>
    </>
  );
}

/**
 * The estimated cost of sending now. The host counts everything except the draft, which is counted
 * here.
 */
export function CostLine() {
  const store = useStore();
  const panel = store.panel.value;
  if (panel === undefined || panel.connection.kind === 'none') return null;
  const { connection, cost } = panel;
  const isFree = connection.kind === 'demo';
  return <CostNote cost={cost} length={store.draft.text.value.length} isFree={isFree} />;
}

interface CostNoteProps {
  readonly cost: SendCost;
  /** Number of characters of the draft, which the host hasn't counted. */
  readonly length: number;
  /** True if no price is shown. */
  readonly isFree?: boolean;
}

export function CostNote({ cost, length, isFree = false }: CostNoteProps) {
  const { lang } = document.documentElement;
  const store = useStore();
  const withoutTools = store.panel.value?.mode === 'chat';
  const text = costText(cost, { length, language: lang, withoutTools, isFree });
  const { parts, description, isOver } = text;
  const warning = isOver ? (description.split('\n').at(-1) ?? '') : '';
  useEffect(() => {
    if (warning !== '') store.announce(warning);
    // Announced once, since its numbers change with each key.
  }, [store, isOver]);
  return (
    <span
      class={isOver ? 'cost over' : 'cost'}
      role="note"
      aria-label={asSentences(description)}
      title={description}
    >
      {parts.map((part, index) => (
        <Fragment key={index}>
          {index > 0 && ' · '}
          <span>
            {isOver && index === 0 && <Icon name="warning" />}
            {part}
          </span>
        </Fragment>
      ))}
    </span>
  );
}

/** Share of the context window that the next request uses. A click shows actions on the context. */
export function ContextMeter() {
  const store = useStore();
  const panel = store.panel.value;
  if (panel === undefined || panel.connection.kind === 'none') return null;
  const meter = meterText(panel.cost, store.draft.text.value.length);
  if (meter === undefined) return null;
  const { percent, words, description, isTight } = meter;
  return (
    <span class={isTight ? 'context-meter tight' : 'context-meter'}>
      <span
        role="meter"
        aria-label={l10n.t('Context')}
        aria-valuemin={0}
        aria-valuemax={100}
        aria-valuenow={percent}
        aria-valuetext={words}
      >
        <svg viewBox="0 0 16 16" width="16" height="16" aria-hidden="true">
          <circle cx="8" cy="8" r="6" />
          <circle
            class="used"
            cx="8"
            cy="8"
            r="6"
            pathLength="100"
            stroke-dasharray={`${percent} 100`}
          />
        </svg>
      </span>
      {/* Not around the meter: assistive technology reads only the text inside a button. */}
      <button
        type="button"
        class="icon-button"
        aria-label={l10n.t('Context…')}
        title={description}
        onClick={() => store.post('show-context', {})}
      />
    </span>
  );
}

interface OptionChip {
  readonly option: keyof RequestOptions;
  readonly label: string;
  readonly reset: string;
}

function OptionChips() {
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
