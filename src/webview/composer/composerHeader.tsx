/** The parts of the composer that are not needed to type and send: loaded after the first paint. */
import * as l10n from '@vscode/l10n';
import { Fragment } from 'preact';
import { Icon, IconButton } from '../parts/controls.tsx';
import { asSentences } from '../parts/format.ts';
import { useStore } from '../parts/hooks.ts';
import { AttachmentChips } from './attachmentChips.tsx';
import { CompletionList } from './completionList.tsx';
import { costText } from './costWords.ts';
import { DropTarget, usePaste } from './dropAndPaste.tsx';
import { OptionChips } from './optionChips.tsx';

interface Props {
  readonly field: HTMLTextAreaElement;
}

/** The area above the message field: completions, queued messages, attachments and options. */
export function ComposerHeader({ field }: Props) {
  usePaste(field);
  return (
    <>
      <CompletionList field={field} />
      <DropTarget />
      <QueuedMessages />
      <div class="chips">
        <AttachmentChips />
        <OptionChips />
      </div>
    </>
  );
}

/** Messages that are sent when the running turn has ended. Each can be removed until then. */
export function QueuedMessages() {
  const store = useStore();
  const queued = store.panel.value?.queued ?? [];
  if (queued.length === 0) return null;
  return (
    <ul class="queued" aria-label={l10n.t('Queued Messages')}>
      {queued.map(({ id, text }, index) => (
        <li key={id}>
          <Icon name="clock" />
          <span class="queued-text" title={text.slice(0, 1000)}>
            {text.slice(0, 200)}
          </span>
          <IconButton
            icon="close"
            name={
              queued.length === 1
                ? l10n.t('Remove Queued Message')
                : l10n.t('Remove Queued Message {0}', index + 1)
            }
            onClick={() => void store.request({ type: 'unqueue', message: id })}
          />
        </li>
      ))}
    </ul>
  );
}

/**
 * The estimated cost of sending now. The host counts everything but the draft, which is counted
 * here.
 */
export function CostLine() {
  const store = useStore();
  const panel = store.panel.value;
  if (panel === undefined || panel.connection.kind === 'none') return null;
  const { lang } = document.documentElement;
  const { parts, description, isOver } = costText(panel.cost, store.draft.text.value.length, lang);
  return (
    <span
      class={isOver ? 'cost over' : 'cost'}
      role="note"
      aria-label={asSentences(description)}
      title={description}
    >
      {parts.map((part, index) => (
        <Fragment key={index}>
          {/* A narrow panel breaks the line between two parts. */}
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
