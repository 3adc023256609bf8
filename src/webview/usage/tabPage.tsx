import { signal } from '@preact/signals';
import { render, type JSX } from 'preact';
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
 * Keeps focus near a pressed button that is removed: an element around it gets focus, so that Tab
 * continues from there and not from the start of the page.
 */
function keepFocusIn(root: HTMLElement): void {
  let around: readonly HTMLElement[] = [];
  root.addEventListener('focusin', ({ target }) => {
    around = target instanceof Element ? ancestorsOf(target, root) : [];
  });
  new MutationObserver(() => {
    if (around.length === 0 || document.activeElement !== document.body) return;
    const [focused, ...parents] = around;
    if (focused?.isConnected === true || !document.hasFocus()) return;
    const heir = parents.find((parent) => parent.isConnected) ?? root;
    heirIn(heir).focus();
  }).observe(root, { childList: true, subtree: true });
}

function ancestorsOf(element: Element, root: HTMLElement): readonly HTMLElement[] {
  const ancestors: HTMLElement[] = [];
  for (let at: Element | null = element; at !== null && at !== root; at = at.parentElement)
    if (at instanceof HTMLElement) ancestors.push(at);
  return ancestors;
}

/** The heading of a section, or the section itself if it has none. */
function heirIn(part: HTMLElement): HTMLElement {
  const heading = part.closest('section, main')?.querySelector<HTMLElement>('h1, h2') ?? part;
  heading.tabIndex = -1;
  return heading;
}
