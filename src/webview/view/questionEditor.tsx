import * as l10n from '@vscode/l10n';
import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import { isPlainEnter } from './isPlainEnter.ts';
import { useStore } from './storeContext.ts';

interface Props {
  /** Identifier of the turn whose question is edited. */
  readonly turn: string;
  readonly text: string;
  /** Called once the question is asked again. */
  readonly close: () => void;
  readonly cancel: () => void;
}

/** Edits a question where it stands; asking again takes back what followed it. */
export function QuestionEditor({ turn, text, close, cancel }: Props) {
  const store = useStore();
  const field = useRef<HTMLTextAreaElement>(null);
  const [edited, setEdited] = useState(() => store.edits.get(turn) ?? text);
  const later = store.lastId.value !== turn;
  const sendable = edited.trim() !== '' && store.runningId.value === undefined;

  useLayoutEffect(() => {
    field.current?.focus();
    field.current?.setSelectionRange(text.length, text.length);
  }, [text]);

  const edit = (value: string): void => {
    store.edits.set(turn, value);
    setEdited(value);
  };
  const send = async (): Promise<void> => {
    if (sendable && (await store.request({ type: 'resend', turn, text: edited }))) close();
  };
  const keyDown = (event: KeyboardEvent): void => {
    if (event.key === 'Escape' && !event.isComposing) cancel();
    if (!isPlainEnter(event)) return;
    event.preventDefault();
    void send();
  };

  return (
    <div class="question-editor">
      <textarea
        ref={field}
        class="field"
        aria-label={l10n.t('Question')}
        value={edited}
        onInput={(event) => edit(event.currentTarget.value)}
        onKeyDown={keyDown}
      />
      <div class="button-row">
        {later && <span class="hint">{l10n.t('What followed is removed.')}</span>}
        <button type="button" class="button secondary" onClick={cancel}>
          {l10n.t('Cancel')}
        </button>
        <button type="button" class="button" disabled={!sendable} onClick={() => void send()}>
          {l10n.t('Ask Again')}
        </button>
      </div>
    </div>
  );
}
