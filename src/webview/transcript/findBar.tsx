import * as l10n from '@vscode/l10n';
import type { RefObject } from 'preact';
import { useEffect, useLayoutEffect, useRef } from 'preact/hooks';
import { findPattern } from '../../core/conversation/findInTurns.ts';
import type { Disposable } from '../../core/support/event.ts';
import { IconButton } from '../parts/controls.tsx';
import { useStore } from '../parts/hooks.ts';
import type { TranscriptScroll } from './transcriptScroll.ts';
import type { Hit } from '../state/findModel.ts';
import type { ShownTurns } from '../state/shownTurns.ts';

interface FindBarProps {
  readonly content: RefObject<HTMLElement | null>;
  readonly scroll: { readonly current: TranscriptScroll | undefined };
}

export function FindBar({ content, scroll }: FindBarProps) {
  const store = useStore();
  const { find, shown } = store;
  const field = useRef<HTMLInputElement>(null);
  const marks = useRef<FindMarks>(undefined);
  const hit = find.hit.value;
  const query = find.query.value;
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
  useLayoutEffect(() => {
    if (content.current === null || scroll.current === undefined) return undefined;
    const current = new FindMarks(content.current, shown, scroll.current);
    marks.current = current;
    return () => current.dispose();
  }, [content, scroll, shown]);
  useLayoutEffect(() => marks.current?.update(query), [query]);
  // The same match, found again after a turn, must not scroll the view back to it.
  const searched = find.matches.value?.query;
  useLayoutEffect(() => marks.current?.reveal(hit), [searched, hit?.turn, hit?.part, hit?.index]);
  useEffect(() => {
    // A streamed reply may contain more matches.
    const changes = shown.onDidTurn((type) => {
      if (type === 'end') find.refresh();
    });
    return () => changes.dispose();
  }, [find, shown]);
  const search = (text: string): void =>
    find.search(text, scroll.current?.anchor()?.element.dataset['turn']);
  // Repeats the last search when the bar opens again; without words, it finds the messages.
  useLayoutEffect(() => search(find.query.peek()), [find]);
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
  const messages = query === '' ? (result?.messages ?? []) : [];
  const show = (turn: string): void => {
    find.close();
    scroll.current?.show(turn);
    store.focus.request();
  };
  return (
    <>
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
      {messages.length > 0 && (
        <ul class="find-messages" aria-label={l10n.t('Your Messages')}>
          {messages.map(({ turn, text }, index) => (
            <li key={index}>
              <button type="button" class="find-message" onClick={() => show(turn)}>
                {text}
              </button>
            </li>
          ))}
        </ul>
      )}
    </>
  );
}

/** Names of the `::highlight()` rules in the style sheet. */
const allMarks = 'find-match';
const currentMark = 'find-current';

/** Approximate number of characters that are searched per frame. */
const frameLength = 100_000;

/** Highlights matches in rendered turns without changing the DOM, and scrolls one into view. */
export class FindMarks implements Disposable {
  readonly #content: HTMLElement;
  readonly #shown: ShownTurns;
  readonly #scroll: TranscriptScroll;
  readonly #observer = new MutationObserver((changes) => this.#handleMutations(changes));
  readonly #all = new Highlight();
  readonly #current = new Highlight();
  readonly #ranges = new Map<HTMLElement, readonly Range[]>();
  readonly #pending = new Set<HTMLElement>();
  #pattern: RegExp | undefined;
  #target: Hit | undefined;
  #frame: number | undefined;

  constructor(content: HTMLElement, shown: ShownTurns, scroll: TranscriptScroll) {
    this.#content = content;
    this.#shown = shown;
    this.#scroll = scroll;
    this.#current.priority = 1;
    CSS.highlights.set(allMarks, this.#all);
    CSS.highlights.set(currentMark, this.#current);
    this.#observer.observe(content, { childList: true, subtree: true, characterData: true });
  }

  update(query: string): void {
    this.#pattern = findPattern(query);
    this.#target = undefined;
    this.#current.clear();
    for (const turn of this.#ranges.keys()) this.#removeMarks(turn);
    for (const turn of this.#content.querySelectorAll<HTMLElement>('[data-turn]'))
      this.#pending.add(turn);
    this.#scheduleRead();
  }

  reveal(hit: Hit | undefined): void {
    this.#current.clear();
    this.#target = hit;
    if (hit === undefined) return;
    if (this.#scroll.turn(hit.turn) === undefined) this.#shown.ask(hit.turn);
    else this.#tryReveal();
  }

  dispose(): void {
    this.#observer.disconnect();
    if (this.#frame !== undefined) cancelAnimationFrame(this.#frame);
    CSS.highlights.delete(allMarks);
    CSS.highlights.delete(currentMark);
  }

  #handleMutations(changes: readonly MutationRecord[]): void {
    for (const { target } of changes) {
      const turn = elementOf(target)?.closest<HTMLElement>('[data-turn]');
      if (turn !== undefined && turn !== null) {
        this.#pending.add(turn);
        continue;
      }
      for (const turn of this.#ranges.keys()) if (!turn.isConnected) this.#removeMarks(turn);
      for (const turn of this.#content.querySelectorAll<HTMLElement>('[data-turn]'))
        if (!this.#ranges.has(turn)) this.#pending.add(turn);
    }
    if (this.#target !== undefined) this.#tryReveal();
    this.#scheduleRead();
  }

  /** Searches some of the new turns in the next frame. A streaming reply is searched at its end. */
  #scheduleRead(): void {
    if (this.#pending.size === 0) return;
    this.#frame ??= requestAnimationFrame(() => {
      this.#frame = undefined;
      let length = 0;
      for (const turn of this.#pending) {
        if (length > frameLength) break;
        this.#pending.delete(turn);
        if (!turn.isConnected || turn.querySelector('[aria-busy="true"]') !== null) continue;
        this.#removeMarks(turn);
        const pattern = this.#pattern;
        const places = [...turn.querySelectorAll('[data-place]')];
        const ranges = pattern === undefined ? [] : places.flatMap((at) => textRanges(at, pattern));
        this.#ranges.set(turn, ranges);
        for (const range of ranges) this.#all.add(range);
        length += turn.textContent.length;
      }
      this.#scheduleRead();
    });
  }

  #removeMarks(turn: HTMLElement): void {
    for (const range of this.#ranges.get(turn) ?? []) this.#all.delete(range);
    this.#ranges.delete(turn);
  }

  /** Scrolls to the target, unless it isn't rendered yet. */
  #tryReveal(): void {
    const scroll = this.#scroll;
    const hit = this.#target;
    const turn = hit === undefined ? undefined : scroll.turn(hit.turn);
    if (hit === undefined || turn === undefined || this.#pattern === undefined) return;
    const element = turn.querySelector<HTMLElement>(`[data-place="${hit.part ?? 'question'}"]`);
    if (element instanceof HTMLDetailsElement) {
      element.open = true;
      // Its content is rendered only now.
      if (element.childElementCount === 1) return;
    }
    const ranges = element === null ? [] : textRanges(element, this.#pattern);
    // Rendered Markdown may have fewer matches than its source.
    const match = ranges[Math.min(hit.index, ranges.length - 1)];
    this.#target = undefined;
    if (match !== undefined) {
      this.#current.add(match);
      const code = elementOf(match.startContainer)?.closest('.code-block');
      code?.querySelector<HTMLElement>('[data-look="fold"][aria-expanded="false"]')?.click();
    }
    const range = match ?? document.createRange();
    if (match === undefined) {
      range.selectNodeContents(element ?? turn);
      range.collapse(true);
    }
    center(range, scroll);
    // Content that scrolls into view is laid out only now, and may differ from its estimated height.
    requestAnimationFrame(() => center(range, scroll));
  }
}

function center(range: Range, scroll: TranscriptScroll): void {
  const { scroller } = scroll;
  let element = elementOf(range.startContainer);
  // Elements with their own scroll bars: a long message, or a wide line of code.
  for (; element !== null && element !== scroller; element = element.parentElement) {
    const inner = range.getBoundingClientRect();
    const outer = element.getBoundingClientRect();
    const isTall = element.scrollHeight > element.clientHeight;
    if (isTall && (inner.top < outer.top || inner.bottom > outer.bottom))
      element.scrollTop += inner.top - outer.top - outer.height / 2;
    const isWide = element.scrollWidth > element.clientWidth;
    if (isWide && (inner.left < outer.left || inner.right > outer.right))
      element.scrollLeft += inner.left - outer.left - outer.width / 2;
  }
  const { top, height } = range.getBoundingClientRect();
  const edge = scroller.getBoundingClientRect();
  scroll.moveBy(top + height / 2 - edge.top - edge.height / 2);
}

function elementOf(node: Node): Element | null {
  return node instanceof Element ? node : node.parentElement;
}

/** Elements that start a new line, where words end. */
const blocks = 'p, li, pre, td, th, h1, h2, h3, h4, h5, h6, div, blockquote, summary, details';

interface TextPiece {
  readonly node: Text;
  readonly start: number;
}

/** Maximum number of highlighted matches in one element. */
const maxRanges = 1000;

/** Ranges of the matches in an element's text, across node boundaries. */
export function textRanges(element: Element, pattern: RegExp): Range[] {
  const pieces: TextPiece[] = [];
  let text = '';
  let block: Element | null = null;
  const walker = element.ownerDocument.createTreeWalker(element, NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node !== null; node = walker.nextNode()) {
    // A formula is searched by its source.
    if (!isText(node) || node.parentElement?.closest('button, math') !== null) continue;
    const around: Element | null = node.parentElement.closest(blocks);
    if (around !== block && text !== '') text += '\n';
    block = around;
    pieces.push({ node, start: text.length });
    text += node.data;
  }
  const ranges: Range[] = [];
  let piece = 0;
  for (const match of text.matchAll(pattern)) {
    if (ranges.length === maxRanges) break;
    const end = match.index + match[0].length;
    piece = pieceAt(pieces, match.index, piece);
    const first = pieces[piece];
    const last = pieces[pieceAt(pieces, end - 1, piece)];
    if (first === undefined || last === undefined) continue;
    const range = element.ownerDocument.createRange();
    range.setStart(first.node, Math.min(match.index - first.start, first.node.length));
    range.setEnd(last.node, Math.min(end - last.start, last.node.length));
    ranges.push(range);
  }
  return ranges;
}

function isText(node: Node): node is Text {
  return node.nodeType === Node.TEXT_NODE;
}

/** Index of the piece that contains a character, searched from the piece `from`. */
function pieceAt(pieces: readonly TextPiece[], index: number, from: number): number {
  let current = from;
  while ((pieces[current + 1]?.start ?? Infinity) <= index) current++;
  return current;
}
