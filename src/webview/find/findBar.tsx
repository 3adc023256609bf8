import * as l10n from '@vscode/l10n';
import type { RefObject } from 'preact';
import { useEffect, useLayoutEffect, useRef } from 'preact/hooks';
import { IconButton } from '../parts/controls.tsx';
import { useStore } from '../parts/hooks.ts';
import type { TranscriptScroll } from '../scroll/transcriptScroll.ts';
import type { FindModel } from '../state/findModel.ts';
import type { TurnWindow } from '../state/turnWindow.ts';
import { FindMarks } from './findMarks.ts';

interface FindBarProps {
  readonly find: FindModel;
  readonly window: TurnWindow;
  readonly content: RefObject<HTMLElement | null>;
  readonly scroll: { readonly current: TranscriptScroll | undefined };
}

export function FindBar({ find, window, content, scroll }: FindBarProps) {
  const field = useFindFocus(find);
  const marks = useRef<FindMarks>(undefined);
  const hit = find.hit.value;
  const query = find.query.value;
  useLayoutEffect(() => {
    if (content.current === null || scroll.current === undefined) return undefined;
    const current = new FindMarks({ content: content.current, window, scroll: scroll.current });
    marks.current = current;
    return () => current.dispose();
  }, [content, scroll, window]);
  useLayoutEffect(() => marks.current?.update(query), [query]);
  useLayoutEffect(() => marks.current?.reveal(hit), [hit]);
  useEffect(() => {
    // A streamed reply may contain more matches.
    const changes = window.onDidTurn((type) => {
      if (type === 'end') find.refresh();
    });
    return () => changes.dispose();
  }, [find, window]);
  const search = (text: string): void =>
    find.search(text, scroll.current?.anchor()?.element.dataset['turn']);
  useLayoutEffect(() => {
    // Repeats the last search when the bar opens again.
    if (find.query.peek() !== '') search(find.query.peek());
  }, [find]);
  const keyDown = (event: KeyboardEvent): void => {
    if (event.isComposing) return;
    if (event.key === 'Escape') find.close();
    else if (event.key === 'Enter') find.step(event.shiftKey ? -1 : 1);
    else return;
    event.preventDefault();
  };
  const result = find.matches.value;
  const total = find.total.value;
  const none = result !== undefined && result.query !== '' && total === 0;
  return (
    <div class="find" role="search">
      <input
        ref={field}
        class="field"
        type="text"
        spellcheck={false}
        aria-label={l10n.t('Find in Chat')}
        placeholder={l10n.t('Find')}
        maxLength={1000}
        value={query}
        onInput={(event) => search(event.currentTarget.value)}
        onKeyDown={keyDown}
      />
      <span class={none ? 'find-count none' : 'find-count'} aria-live="polite">
        {none && l10n.t('No matching results')}
        {total > 0 &&
          (result?.complete === true
            ? l10n.t('{0} of {1}', find.current.value + 1, total)
            : l10n.t('{0} of {1}+', find.current.value + 1, total))}
      </span>
      <IconButton
        icon="arrow-up"
        name={l10n.t('Previous Match')}
        title={l10n.t('Previous Match (Shift+Enter)')}
        disabled={total === 0}
        onClick={() => find.step(-1)}
      />
      <IconButton
        icon="arrow-down"
        name={l10n.t('Next Match')}
        title={l10n.t('Next Match (Enter)')}
        disabled={total === 0}
        onClick={() => find.step(1)}
      />
      <IconButton
        icon="close"
        name={l10n.t('Close')}
        title={l10n.t('Close (Escape)')}
        onClick={() => find.close()}
      />
    </div>
  );
}

/** Focuses the field, and restores focus when the bar closes. */
function useFindFocus(find: FindModel): RefObject<HTMLInputElement | null> {
  const store = useStore();
  const field = useRef<HTMLInputElement>(null);
  const open = find.open.value;
  useLayoutEffect(() => {
    const before = document.activeElement;
    return () => {
      if (!document.hasFocus()) return;
      if (before instanceof HTMLElement && before !== document.body && before.isConnected)
        before.focus();
      else store.focus.request();
    };
  }, [store]);
  useLayoutEffect(() => {
    field.current?.focus();
    field.current?.select();
  }, [open]);
  return field;
}
