import * as l10n from '@vscode/l10n';
import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import type { Question } from '../../core/conversation/conversation.ts';
import { Icon, IconButton } from './iconButton.tsx';
import { QuestionEditor } from './questionEditor.tsx';
import { useStore } from './storeContext.ts';

interface Props {
  /** Identifier of the turn. */
  readonly turn: string;
  readonly question: Question;
  readonly running: boolean;
}

/** More of a pasted text than this only makes the panel slow. */
const shownLength = 20_000;

export function QuestionView({ turn, question, running }: Props) {
  const frame = useRef<HTMLElement>(null);
  const cancelled = useRef(false);
  const { edits } = useStore();
  const [editing, setEditing] = useState(() => edits.has(turn));
  const close = (): void => {
    edits.delete(turn);
    setEditing(false);
  };
  const cancel = (): void => {
    cancelled.current = true;
    close();
  };
  useLayoutEffect(() => {
    if (!editing && cancelled.current) frame.current?.querySelector<HTMLElement>('.edit')?.focus();
    cancelled.current = false;
  }, [editing]);
  return (
    <article
      ref={frame}
      class={editing ? 'question editing' : 'question'}
      aria-label={l10n.t('You')}
    >
      {question.attachments.length > 0 && (
        <div class="chips">
          {question.attachments.map((attachment) => (
            <span key={attachment.id} class="chip" title={attachment.path}>
              <Icon name="file-code" />
              <span class="chip-name">{attachment.name}</span>
            </span>
          ))}
        </div>
      )}
      {editing ? (
        <QuestionEditor turn={turn} text={question.text} close={close} cancel={cancel} />
      ) : (
        <QuestionText text={question.text} />
      )}
      {!editing && !running && (
        <IconButton
          className="edit"
          icon="edit"
          name={l10n.t('Edit Message')}
          onClick={() => setEditing(true)}
        />
      )}
    </article>
  );
}

function QuestionText({ text }: { readonly text: string }) {
  const hidden = text.length - shownLength;
  return (
    <div class="question-text" data-place="question">
      {hidden > 0 ? text.slice(0, shownLength) : text}
      {hidden > 0 && (
        <div class="more">{l10n.t('… and {0} more characters', hidden.toLocaleString())}</div>
      )}
    </div>
  );
}
