import { signal } from '@preact/signals';
import { useLayoutEffect, useRef } from 'preact/hooks';
import type * as Markdown from '../markdown/index.ts';
import type { CodeAction, MarkdownStream, RunCode, ShownCode } from '../markdown/index.ts';
import { useStore } from '../parts/hooks.ts';
import { toggleMenu, type MenuItem } from '../parts/menuList.tsx';
import type { Store } from '../state/store.ts';

const markdown = signal<typeof Markdown | undefined>(undefined);
let isRequested = false;

/**
 * The Markdown renderer, half of the code of the panel and a script of its own, which an empty chat
 * doesn't need. Undefined until it is loaded; a component that called this is then rendered again.
 */
export function loadedMarkdown(): typeof Markdown | undefined {
  if (!isRequested) {
    isRequested = true;
    import('../markdown.ts').then(
      (module) => (markdown.value = module),
      // The next render retries.
      () => (isRequested = false),
    );
  }
  return markdown.value;
}

interface Props {
  readonly turn: string;
  /** Only grows. While `live`, it lacks the deltas since the last render. */
  readonly text: string;
  readonly index: number;
  /** True if more text may follow. */
  readonly live: boolean;
  readonly opening?: string;
}

/** The model's text as Markdown. Preact owns only the frame; the stream owns its content. */
export function Prose({ turn, text, index, live, opening = '' }: Props) {
  const store = useStore();
  const frame = useRef<HTMLDivElement>(null);
  const writer = useRef<Writer>(undefined);
  const markdown = loadedMarkdown();
  useLayoutEffect(() => {
    if (frame.current === null || markdown === undefined) return undefined;
    const current = (writer.current ??= new Writer(markdown, frame.current, opening, store));
    if (!live) {
      current.end(text);
      return undefined;
    }
    current.write(store.shown.textOf(turn, index));
    // From here on, deltas are appended without comparing the whole text.
    const subscription = store.shown.onDidGrow((grown) => {
      if (grown.turn === turn) current.grow(grown.text, store.shown.textOf(turn, index));
    });
    return () => subscription.dispose();
  }, [turn, text, index, live, opening, store, markdown]);
  return <div class="prose" data-place={index} ref={frame} />;
}

/** Writes only new text to the stream, and starts over when an ended reply is continued. */
class Writer {
  readonly #markdown: typeof Markdown;
  readonly #frame: HTMLElement;
  readonly #opening: string;
  readonly #store: Store;
  #stream: MarkdownStream | undefined;
  #written = 0;

  constructor(markdown: typeof Markdown, frame: HTMLElement, opening: string, store: Store) {
    this.#markdown = markdown;
    this.#frame = frame;
    this.#opening = opening;
    this.#store = store;
  }

  /** Writes the new end of a text that may grow. */
  write(text: string): void {
    const isFirst = this.#stream === undefined;
    const stream = (this.#stream ??= this.#begin());
    if (text.length > this.#written) this.#push(text.slice(this.#written));
    // A view that opens during a reply restores its scroll position right after this.
    if (isFirst) stream.flush();
  }

  /** Appends a delta, or everything new if a delta was missed. */
  grow(end: string, text: string): void {
    if (this.#written + end.length === text.length) this.#push(end);
    else this.write(text);
  }

  end(text: string): void {
    if (this.#stream === undefined && this.#written === text.length) return;
    this.#stream ??= this.#begin();
    if (text.length > this.#written) this.#push(text.slice(this.#written));
    this.#stream.end();
    this.#stream = undefined;
  }

  #push(text: string): void {
    this.#stream?.push(text);
    this.#written += text.length;
  }

  #begin(): MarkdownStream {
    const body = document.createElement('div');
    const stream = this.#markdown.createMarkdownStream(body, {
      openLink: (href, label) => this.#store.post('open-link', { href, label }),
      runCode: (action, code) => runCodeAction(this.#store, action, code),
      openMenu: openCodeMenu,
      files: {
        find: (words) => this.#store.references.find(words),
        open: (file) => this.#store.post('open-file', { ...file }),
      },
    });
    if (this.#written === 0) this.#frame.replaceChildren(body);
    // The old text stays until the new nodes are rendered: otherwise the transcript would jump.
    else requestAnimationFrame(() => this.#frame.replaceChildren(body));
    this.#written = 0;
    if (this.#opening !== '') stream.push(this.#opening);
    return stream;
  }
}

function openCodeMenu(anchor: HTMLElement, items: readonly MenuItem[]): void {
  toggleMenu({ anchor, items });
}

/**
 * Runs the action of a code block button. Resolves with false if the host refused, which is shown.
 */
function runCodeAction(
  store: Store,
  action: CodeAction,
  { text, language, file }: ShownCode,
): Promise<boolean> {
  const target = { language: language.slice(0, 100), ...(file && { path: file.path }) };
  switch (action) {
    case 'open':
      return file ? store.call('open-file', file) : Promise.resolve(false);
    case 'copy':
      return store.call('copy', { text });
    case 'insert':
      return store.call('insert-at-cursor', { text });
    case 'apply':
      return store.call('apply-to-file', { text, ...target });
    case 'run':
      return store.call('run-in-terminal', { text });
    case 'preview':
      return store.call('open-preview', { text });
    case 'new-file':
      return store.call('new-file', { text, ...target });
  }
}

interface CodeProps extends Pick<Props, 'text' | 'index'> {
  readonly language: string;
}

/** A code block that is no part of a Markdown text. */
export function Code({ text, index, language }: CodeProps) {
  const store = useStore();
  const frame = useRef<HTMLDivElement>(null);
  const markdown = loadedMarkdown();
  useLayoutEffect(() => {
    if (markdown)
      frame.current?.replaceChildren(markdown.createCodeBlock(document, language, text));
  }, [markdown, language, text]);
  useLayoutEffect(() => {
    if (frame.current === null || markdown === undefined) return;
    const run: RunCode = (action, code) => runCodeAction(store, action, code);
    markdown.connectCodeButtons(frame.current, run, openCodeMenu);
  }, [markdown, store]);
  return <div class="prose" data-place={index} ref={frame} />;
}
