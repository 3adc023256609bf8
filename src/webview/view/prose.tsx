import { useLayoutEffect, useRef } from 'preact/hooks';
import { createMarkdownStream, type MarkdownStream } from '../markdown/index.ts';
import type { Store } from '../store.ts';
import { useStore } from './storeContext.ts';
import { runCodeAction } from './codeActions.ts';

interface Props {
  /** Only ever grows. */
  readonly text: string;
  /** Whether more may come. */
  readonly live: boolean;
}

/** Model text as Markdown. Preact only owns the frame; what is inside belongs to the stream. */
export function Prose({ text, live }: Props) {
  const store = useStore();
  const frame = useRef<HTMLDivElement>(null);
  const writer = useRef<Writer>(undefined);
  useLayoutEffect(() => {
    if (frame.current === null) return;
    writer.current ??= new Writer(frame.current, store);
    writer.current.write(text, live);
  }, [text, live, store]);
  return <div class="prose" ref={frame} />;
}

/** Hands on only what is new, and starts again when a reply that had ended goes on. */
class Writer {
  readonly #frame: HTMLElement;
  readonly #store: Store;
  #stream: MarkdownStream | undefined;
  #written = 0;

  constructor(frame: HTMLElement, store: Store) {
    this.#frame = frame;
    this.#store = store;
  }

  write(text: string, live: boolean): void {
    const complete = this.#stream === undefined && this.#written === text.length;
    if (complete && !live) return;
    this.#stream ??= this.#begin();
    const isFirst = this.#written === 0;
    this.#stream.push(text.slice(this.#written));
    this.#written = text.length;
    // A view that opens in the middle of a reply goes back to its place right after this.
    if (live && isFirst) this.#stream.flush();
    if (live) return;
    this.#stream.end();
    this.#stream = undefined;
  }

  #begin(): MarkdownStream {
    const body = document.createElement('div');
    const stream = createMarkdownStream(body, {
      openLink: (href, label) => void this.#store.request({ type: 'open-link', href, label }),
      runCode: (action, code, language) => runCodeAction(this.#store, action, code, language),
    });
    if (this.#written === 0) this.#frame.replaceChildren(body);
    // The old text stays until the new nodes are drawn: otherwise the transcript would jump.
    else requestAnimationFrame(() => this.#frame.replaceChildren(body));
    this.#written = 0;
    return stream;
  }
}
