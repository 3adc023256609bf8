import { signal } from '@preact/signals';
import { render, type JSX } from 'preact';
import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import { background } from '../../core/support/background.ts';
import { ViewChannel } from '../../protocol/channel.ts';
import type { StateMessage } from '../../protocol/call.ts';
import { hostPort, openApi } from '../state/host.ts';

/** Sends a request of a page whose result nobody waits for. An error is shown. */
export type Post<P> = <N extends keyof P>(name: N, parameters: P[N]) => void;

/** A page in a tab: `P` has the parameters of its requests, `R` the results, `S` is its state. */
export class TabPage<P, R extends Record<keyof P, unknown>, S> {
  readonly api = openApi();
  readonly #channel: ViewChannel<P, R, StateMessage<S>>;
  readonly #error = signal('');

  constructor(receive: (state: S) => void) {
    this.#channel = new ViewChannel(hostPort(this.api), ({ state }) => receive(state));
  }

  readonly post: Post<P> = (name, parameters) => background(this.ask(name, parameters));

  /** The result of a request; undefined if it fails, which is shown. */
  async ask<N extends keyof P>(name: N, parameters: P[N]): Promise<R[N] | undefined> {
    this.#error.value = '';
    const answer = await this.#channel.call(name, parameters);
    if ('ok' in answer) return answer.ok;
    this.#error.value = answer.error;
    return undefined;
  }

  render(Content: () => JSX.Element | undefined): void {
    const root = document.getElementById('root') ?? document.body;
    let focused: HTMLElement | undefined;
    let around: readonly HTMLElement[] = [];
    root.addEventListener('focusin', ({ target }) => {
      if (!(target instanceof HTMLElement)) return;
      focused = target;
      around = [...root.querySelectorAll<HTMLElement>('section, main')].filter((section) =>
        section.contains(target),
      );
    });
    // If a pressed button is removed, the heading of the section around it gets focus, so that Tab
    // continues from there and not from the start of the page.
    const keepFocus = new MutationObserver(() => {
      const isRemoved = focused?.isConnected === false && document.activeElement === document.body;
      if (!isRemoved || !document.hasFocus()) return;
      const section = around.findLast(({ isConnected }) => isConnected) ?? root;
      const heading = section.querySelector<HTMLElement>('h1, h2') ?? section;
      heading.tabIndex = -1;
      heading.focus();
    });
    keepFocus.observe(root, { childList: true, subtree: true });
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

/** Line patterns for each color, visible in high contrast themes. */
const hatches = ['', 'M0 8L8 0', 'M0 0L8 8', 'M0 4H8', 'M4 0V8', 'M0 4H8M4 0V8'];

/** The last color, which is muted. */
export const mutedColor = hatches.length - 1;

/** Fill for a color, counted from 0; needs {@link ChartPatterns} in the page. */
export function chartFill(color: number): string {
  return `url(#usage-part-${color})`;
}

/** Definitions of the chart's patterns; a page needs them once. */
export function ChartPatterns(): JSX.Element {
  return (
    <svg class="usage-patterns" width="0" height="0" aria-hidden="true">
      <defs>
        {hatches.map((hatch, part) => (
          <pattern
            key={part}
            id={`usage-part-${part}`}
            width="8"
            height="8"
            patternUnits="userSpaceOnUse"
          >
            <rect class={`usage-color-${part}`} width="8" height="8" />
            <path class="usage-hatch" d={hatch} />
          </pattern>
        ))}
      </defs>
    </svg>
  );
}

/** A sample of a color, for the label beside it. */
export function ChartSample({ color }: { readonly color: number }): JSX.Element {
  return (
    <svg class="usage-sample" width="12" height="12" aria-hidden="true">
      <rect width="12" height="12" fill={chartFill(color)} />
    </svg>
  );
}

/** A state with the language of numbers and dates. */
export interface Locale {
  readonly language: string;
}

/** A number in full, with `≈` for an estimate. */
export function numberText(count: number, { language }: Locale, estimated = false): string {
  return (estimated && count > 0 ? '≈' : '') + count.toLocaleString(language);
}
