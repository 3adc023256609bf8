import { signal } from '@preact/signals';
import { type JSX, render } from 'preact';
import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import * as l10n from '@vscode/l10n';
import { formatMoney } from '../../core/conversation/usage.ts';
import { background } from '../../core/support/background.ts';
import { counted } from '../../core/support/counted.ts';
import { toDisposable } from '../../core/support/event.ts';
import { type Port, ViewChannel } from '../../protocol/channel.ts';
import type { AnswerMessage, StateMessage } from '../../protocol/request.ts';
import type { UsageOverview, UsageRow } from '../../protocol/usageMessages.ts';
import { tokensText } from '../parts/format.ts';

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

/** With the language of numbers and dates. */
export type Locale = Pick<UsageOverview, 'language'>;

/** A number in full, with `≈` for an estimate. */
export function numberText(count: number, { language }: Locale, estimated = false): string {
  return (estimated && count > 0 ? '≈' : '') + count.toLocaleString(language);
}

/** The known cost in all currencies, with `≥` if some is unknown; undefined if all is. */
export function costText(row: UsageRow, { language }: Locale): string | undefined {
  const { costs, unpriced, estimated } = row;
  if (costs.length === 0) return undefined;
  const amounts = costs.map(([currency, amount]) => formatMoney(amount, currency, language));
  const approximate = estimated ? '≈' : '';
  return (unpriced ? '≥' : approximate) + amounts.join(' + ');
}

/** Text such as `12.4k tokens · $0.42 · 12 requests`. */
export function summaryText(row: UsageRow, locale: Locale, isDemo: boolean): string {
  const tokens = tokensText(row.total_tokens, row.estimated);
  return `${tokens} · ${costAndRequests(row, locale, isDemo)}`;
}

/** Text such as `$0.42 · 12 requests`. */
export function costAndRequests(row: UsageRow, locale: Locale, isDemo: boolean): string {
  const cost = isDemo ? demoText() : costText(row, locale);
  const requests =
    row.requests === 1
      ? l10n.t('1 request')
      : counted(l10n.t('{0} requests'), row.requests, locale.language);
  return cost === undefined ? requests : `${cost} · ${requests}`;
}

export function demoText(): string {
  return l10n.t('Demo, not billed');
}
