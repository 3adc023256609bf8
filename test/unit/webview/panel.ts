import { JSDOM, type DOMWindow } from 'jsdom';
import assert from 'node:assert/strict';
import { Script } from 'node:vm';
import { emptyConversation } from '../../../src/core/conversation/conversation.ts';
import type { ConversationEvent } from '../../../src/core/conversation/events.ts';
import {
  sideMessage,
  viewMessage,
  type HostMessage,
  type PanelState,
  type Snapshot,
  type ViewMessage,
} from '../../../src/protocol/messages.ts';
import type { Call, CallName, CallResults } from '../../../src/protocol/rpc.ts';
import { unconnected } from '../../support/panelState.ts';
import { until } from '../../support/until.ts';
import { bundle } from './bundle.ts';

const page = (root: string): string =>
  `<!doctype html><html lang="en"><body><div id="root">${root}</div></body></html>`;

/** Panel state of a connected service with a model. */
export const readyState: PanelState = {
  ...unconnected,
  connection: { kind: 'service', host: 'api.example.com' },
  model: { id: 'mistralai/mistral-small', fromWorkspace: false, missing: false },
  cost: { tokens: 100, perCharacter: 0.25 },
  sideChatCost: { tokens: 100, perCharacter: 0.25 },
};

export function snapshotOf(more: Partial<Snapshot>): Snapshot {
  const conversation = emptyConversation('chat');
  const other = { before: 0, after: 0, state: readyState, draft: '', now: Date.now() };
  return { conversation, ...other, ...more };
}

/** Compiled once, since that takes longer than most tests of the panel. */
let script: Promise<Script> | undefined;

const pages: PanelPage[] = [];

// At the root, so that tests may leave their pages open.
afterEach(() => {
  for (const page of pages.splice(0)) page.close();
});

/** Milliseconds after which a person presses a button that has appeared. */
const timeToLook = 1000;

/** Requests that the page sends by itself. They are unanswered unless the test answers them. */
const automaticRequests: readonly CallName[] = [
  'draft',
  'find',
  'find-references',
  'find-restorable',
  'changed-lines',
  'reply-cost',
  'complete',
  'more-completions',
];

/** The view as it is built for VS Code, in jsdom, with the test as its host. */
export class PanelPage {
  readonly window: DOMWindow;
  readonly posted: ViewMessage[] = [];
  /** Messages of the side chat's card. Its requests succeed, or fail with `refusal`. */
  readonly sideMessages: ViewMessage[] = [];
  /** Error that requests fail with; undefined if they succeed. */
  refusal: string | undefined;
  resultOf: (call: Call) => { readonly value: CallResults[CallName] } | undefined = () => undefined;
  /** Receives the ids of requests instead of answering them. */
  holdRequest: ((id: number) => void) | undefined;
  /** State that VS Code stores over a reload. */
  state: unknown;
  /** CSS highlights by name. */
  readonly highlights = new Map<string, Set<Range>>();
  readonly #unanswered: { readonly id: number; readonly call: Call }[] = [];
  /** Milliseconds by which the page's clock is ahead, since tests don't wait. */
  #lookedFor = 0;
  /** True if the page has the focus, even if none of its elements has. */
  isFocused = false;
  listener: (message: ViewMessage) => void = () => undefined;

  private constructor(window: DOMWindow) {
    this.window = window;
  }

  /** @param root HTML before the script runs */
  static async open(snapshot: Partial<Snapshot> = {}, root = ''): Promise<PanelPage> {
    script ??= panelScript();
    const dom = new JSDOM(page(root), { runScripts: 'outside-only', pretendToBeVisual: true });
    const { window } = dom;
    const opened = new PanelPage(window);
    pages.push(opened);
    opened.#provideGlobals();
    // As browsers do.
    const first = window.document.querySelector<HTMLElement>('[autofocus]');
    first?.focus();
    opened.isFocused = first !== null;
    (await script).runInContext(dom.getInternalVMContext());
    await opened.until(() => opened.posted.some(({ type }) => type === 'ready'));
    await opened.show(snapshot);
    await opened.until(() => opened.all('[aria-autocomplete]').length === 1);
    return opened;
  }

  async show(snapshot: Partial<Snapshot>): Promise<void> {
    this.post({ type: 'snapshot', snapshot: snapshotOf(snapshot) });
    await this.until(() => this.all('[role=log]').length === 1);
  }

  async play(...events: ConversationEvent[]): Promise<void> {
    this.post({ type: 'events', events });
    await this.drawn();
  }

  post(message: HostMessage): void {
    this.window.dispatchEvent(new this.window.MessageEvent('message', { data: message }));
  }

  /** Shows the state of a panel that is ready, apart from this. */
  async change(state: Partial<PanelState> = {}): Promise<void> {
    this.post({ type: 'state', state: { ...readyState, ...state } });
    await this.drawn();
  }

  /** Waits until the view has rendered what was posted, and the person has looked at it. */
  async drawn(): Promise<void> {
    for (let frame = 0; frame < 3; frame++)
      await new Promise((resolve) => this.window.requestAnimationFrame(resolve));
    this.#lookedFor += timeToLook;
  }

  /** Stops the clocks of the page, so that a slow machine has no effect. Returns the time. */
  stopClock(): number {
    const now = Date.now();
    const time = this.window.performance.now();
    Object.assign(this.window.Date, { now: () => now });
    Object.assign(this.window.performance, { now: () => time });
    return now;
  }

  async until(condition: () => boolean): Promise<void> {
    await until(condition);
    this.#lookedFor += timeToLook;
  }

  all(selector: string): HTMLElement[] {
    return [...this.window.document.querySelectorAll<HTMLElement>(selector)];
  }

  texts(selector: string): string[] {
    return this.all(selector).map(({ textContent }) => textContent);
  }

  valueOf(field: string): unknown {
    return Reflect.get(this.element(field), 'value');
  }

  /** Fails unless exactly one element matches. */
  element(selector: string): HTMLElement {
    const matches = this.all(selector);
    const [element] = matches;
    assert.ok(
      element !== undefined && matches.length === 1,
      `${selector}: ${matches.length} found`,
    );
    return element;
  }

  /** Chooses an entry of a button's menu. `index` selects among several buttons of this name. */
  async choose(button: string, entry: string, index = -1): Promise<void> {
    this.buttons(button).at(index)?.click();
    await this.until(() => this.all('[role=menu]').length === 1);
    await this.click(entry);
  }

  /** Fails unless exactly one button has this accessible name. */
  button(name: string): HTMLElement {
    const matches = this.buttons(name);
    const [element] = matches;
    assert.ok(element !== undefined && matches.length === 1, `${name}: ${matches.length} found`);
    return element;
  }

  buttons(name: string): HTMLElement[] {
    return this.all('button').filter(
      (button) => (button.getAttribute('aria-label') ?? button.textContent) === name,
    );
  }

  get activeElement(): Element | null {
    return this.window.document.activeElement;
  }

  /** Text of the live region. */
  get announcement(): string {
    return this.element('.announcer').textContent;
  }

  /** Gives the page the focus, as VS Code does. */
  async receiveFocus(): Promise<void> {
    this.isFocused = true;
    this.window.dispatchEvent(new this.window.Event('focus'));
    await this.drawn();
  }

  /** Takes the focus from the page. */
  loseFocus(): void {
    this.isFocused = false;
    const { activeElement } = this.window.document;
    if (activeElement instanceof this.window.HTMLElement) activeElement.blur();
  }

  async type(selector: string, text: string): Promise<void> {
    this.isFocused = true;
    const field = this.element(selector);
    Reflect.set(field, 'value', text);
    field.dispatchEvent(new this.window.Event('input', { bubbles: true }));
    field.dispatchEvent(new this.window.Event('change', { bubbles: true }));
    await this.drawn();
  }

  press(selector: string, key: string, init?: KeyboardEventInit): Promise<void> {
    return this.pressKey(key, init, this.element(selector));
  }

  /** Presses a key on the element that has the focus. */
  async pressKey(
    key: string,
    init: KeyboardEventInit = {},
    on = this.activeElement,
  ): Promise<void> {
    this.isFocused = true;
    const event = { key, bubbles: true, cancelable: true, ...init };
    on?.dispatchEvent(new this.window.KeyboardEvent('keydown', event));
    await this.drawn();
  }

  async click(name: string): Promise<void> {
    this.isFocused = true;
    this.button(name).click();
    await this.drawn();
  }

  /** Requests without those that the page sends by itself. */
  requests(): Call[] {
    return this.calls().filter(
      ({ name }) => name === 'complete' || !automaticRequests.includes(name),
    );
  }

  /** Chat and text of the draft that the page sent last. */
  get draft(): readonly [string, string] | undefined {
    const drafts = this.posted.flatMap((message) =>
      message.type === 'call' && message.call.name === 'draft'
        ? [[message.conversation, message.call.parameters.text] as const]
        : [],
    );
    return drafts.at(-1);
  }

  calls(): Call[] {
    return this.posted.flatMap((message) => (message.type === 'call' ? [message.call] : []));
  }

  close(): void {
    this.window.close();
  }

  /** Answers the oldest unanswered request of this name, if there is one. */
  async answer<N extends CallName>(name: N, value: CallResults[N]): Promise<void> {
    const index = this.#unanswered.findIndex(({ call }) => call.name === name);
    for (const { id } of index < 0 ? [] : this.#unanswered.splice(index, 1))
      this.post({ type: 'answer', id, value });
    await this.drawn();
  }

  #provideGlobals(): void {
    const { setTimeout, clearTimeout, performance } = this.window;
    const now = performance.now.bind(performance);
    Object.assign(performance, { now: () => now() + this.#lookedFor });
    const { document, Element, Range } = this.window;
    Element.prototype.scrollIntoView = () => undefined;
    Range.prototype.getBoundingClientRect = () => document.body.getBoundingClientRect();
    document.hasFocus = () => this.isFocused || document.activeElement !== document.body;
    Object.assign(this.window, {
      focus: () => (this.isFocused = true),
      // Without a delay, since each test waits for dozens of frames.
      requestAnimationFrame: (callback: FrameRequestCallback) => setTimeout(() => callback(0), 0),
      cancelAnimationFrame: clearTimeout,
      ResizeObserver: class {
        observe = (): void => undefined;
        disconnect = (): void => undefined;
      },
      CSS: { highlights: this.highlights },
      Highlight: Set,
      acquireVsCodeApi: () => ({
        // Parses messages as the host does: one that doesn't fit the protocol throws.
        // VS Code posts JSON, in which a member without a value is absent.
        postMessage: (message: unknown) => this.#post(JSON.parse(JSON.stringify(message))),
        getState: () => this.state,
        setState: (value: unknown) => (this.state = value),
      }),
    });
  }

  #post(posted: unknown): void {
    const { data } = sideMessage.safeParse(posted);
    if (data === undefined) {
      this.#receive(viewMessage.parse(posted));
      return;
    }
    const message = viewMessage.parse(data.message);
    this.sideMessages.push(message);
    if (message.type !== 'call') return;
    const answer: HostMessage = { type: 'answer', id: message.id, error: this.refusal };
    queueMicrotask(() => this.post({ type: 'side', chat: data.chat, message: answer }));
  }

  #receive(message: ViewMessage): void {
    this.posted.push(message);
    this.listener(message);
    if (message.type !== 'call') return;
    const { id, call } = message;
    const { refusal } = this;
    const result = this.resultOf(call);
    if (result !== undefined) queueMicrotask(() => this.post({ type: 'answer', id, ...result }));
    else if (automaticRequests.includes(call.name)) this.#unanswered.push({ id, call });
    else if (this.holdRequest !== undefined) this.holdRequest(id);
    else queueMicrotask(() => this.post({ type: 'answer', id, error: refusal }));
  }
}

async function panelScript(): Promise<Script> {
  const code = await bundle({
    entryPoints: ['src/webview/main.tsx'],
    target: 'chrome138',
    define: { 'process.env.NODE_ENV': '"production"' },
  });
  return new Script(code);
}
