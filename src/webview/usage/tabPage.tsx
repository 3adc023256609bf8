import { signal } from '@preact/signals';
import { render, type JSX } from 'preact';
import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import { background } from '../../core/support/background.ts';
import { toDisposable } from '../../core/support/event.ts';
import { ViewChannel, type Port } from '../../protocol/channel.ts';
import type { AnswerMessage, StateMessage } from '../../protocol/request.ts';

interface PageApi {
  postMessage(message: unknown): void;
  getState(): unknown;
  setState(state: unknown): void;
}

declare function acquireVsCodeApi(): PageApi;

/** Sends a request of a page whose result nobody waits for. An error is shown. */
export type Post<P> = <N extends keyof P>(name: N, parameters: P[N]) => void;

/** A page in a tab: `P` has the parameters of its requests, `R` the results, `S` is its state. */
export class TabPage<P, R extends Record<keyof P, unknown>, S> {
  readonly api = acquireVsCodeApi();
  readonly #channel: ViewChannel<P, R, StateMessage<S>>;
  readonly #error = signal('');

  constructor(receive: (state: S) => void) {
    const port: Port<unknown, StateMessage<S> | AnswerMessage> = {
      post: (message) => this.api.postMessage(message),
      listen(listener) {
        const receive = ({ data }: MessageEvent<StateMessage<S> | AnswerMessage>): void =>
          listener(data);
        window.addEventListener('message', receive);
        return toDisposable(() => window.removeEventListener('message', receive));
      },
    };
    this.#channel = new ViewChannel(port, ({ state }) => receive(state));
  }

  readonly post: Post<P> = (name, parameters) => background(this.ask(name, parameters));

  /** The result of a request; undefined if it fails, which is shown. */
  async ask<N extends keyof P>(name: N, parameters: P[N]): Promise<R[N] | undefined> {
    this.#error.value = '';
    const answer = await this.#channel.request(name, parameters);
    if ('ok' in answer) return answer.ok;
    this.#error.value = answer.error;
    return undefined;
  }

  render(Content: () => JSX.Element | undefined): void {
    const root = document.getElementById('root') ?? document.body;
    keepFocusIn(root);
    const Failure = (): JSX.Element | undefined =>
      this.#error.value === '' ? undefined : (
        <p class="usage-warning" role="alert">
          {this.#error.value}
        </p>
      );
    render(
      <>
        <Failure />
        <Content />
      </>,
      root,
    );
  }
}

/**
 * Keeps focus near a pressed button that is removed: the heading of the section around it gets
 * focus, so that Tab continues from there and not from the start of the page.
 */
function keepFocusIn(root: HTMLElement): void {
  let focused: HTMLElement | undefined;
  let around: readonly HTMLElement[] = [];
  root.addEventListener('focusin', ({ target }) => {
    if (!(target instanceof HTMLElement)) return;
    focused = target;
    around = [...root.querySelectorAll<HTMLElement>('section, main')].filter((section) =>
      section.contains(target),
    );
  });
  new MutationObserver(() => {
    const isRemoved = focused?.isConnected === false && document.activeElement === document.body;
    if (!isRemoved || !document.hasFocus()) return;
    const section = around.findLast(({ isConnected }) => isConnected) ?? root;
    const heading = section.querySelector<HTMLElement>('h1, h2') ?? section;
    heading.tabIndex = -1;
    heading.focus();
  }).observe(root, { childList: true, subtree: true });
}

/** Share below which the rest of a budget is highlighted. */
const lowShare = 0.1;

interface ShareProps {
  readonly of: number;
  readonly whole: number;
  /** The remainder of a budget, or the length of a row relative to the longest one. */
  readonly kind: 'budget' | 'row';
}

/** A thin bar that illustrates the text beside it. */
export function Share({ of, whole, kind }: ShareProps): JSX.Element {
  const share = whole <= 0 ? 0 : Math.min(1, Math.max(0, of / whole));
  const isLow = kind === 'budget' && share < lowShare;
  return (
    <svg class={`usage-share ${isLow ? 'low' : kind}`} aria-hidden="true">
      <rect class="usage-track" width="100%" height="100%" />
      <rect class="usage-level" width={`${(share * 100).toFixed(2)}%`} height="100%" />
    </svg>
  );
}

/**
 * Announces a text when the reason changes, but not the initial text.
 *
 * @param props.reason a key that changes whenever the text is worth announcing
 */
export function LiveText(props: { readonly text: string; readonly reason: string }): JSX.Element {
  const { text, reason } = props;
  const known = useRef(reason);
  const [announced, setAnnounced] = useState('');
  useLayoutEffect(() => {
    if (known.current === reason) return;
    known.current = reason;
    setAnnounced(text);
  }, [reason, text]);
  return (
    <div class="unseen" role="status">
      {announced}
    </div>
  );
}
