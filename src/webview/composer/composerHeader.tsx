/** Parts of the composer that aren't needed to type and send; rendered after the first paint. */
import { Fragment } from 'preact';
import { useEffect } from 'preact/hooks';
import type { SendCost } from '../../protocol/messages.ts';
import { Icon } from '../parts/controls.tsx';
import { asSentences } from '../parts/format.ts';
import { useStore } from '../parts/hooks.ts';
import { AttachmentChips } from './attachmentChips.tsx';
import { CompletionList } from './completionList.tsx';
import { costText } from './costWords.ts';
import { DropTarget, usePaste } from './dropAndPaste.tsx';
import { OptionChips } from './optionChips.tsx';
import { QueuedMessages } from './queuedMessages.tsx';

export { ContextMeter } from './contextMeter.tsx';

interface Props {
  readonly field: HTMLTextAreaElement;
}

/** The area above the message field: completions, queued messages, attachments and options. */
export function ComposerHeader({ field }: Props) {
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
