import { connectCodeButtons, type RunCode } from './codeBlock.ts';
import { ControlFilter } from './controlFilter.ts';
import { loadLikelyGrammars } from './highlight/languages.ts';
import { RenderedText } from './renderedText.ts';

export { connectCodeButtons, createCodeBlock, type ShownCode } from './codeBlock.ts';
export type { CodeAction } from './codeBlock.ts';

/** What the reader can set off inside a reply. */
export interface MarkdownActions {
  readonly openLink?: (href: string, label: string) => void;
  readonly runCode?: RunCode;
}

/** A reply on its way into the page. */
export interface MarkdownStream {
  /** Adds text; it is shown at once where the frame has nothing new yet, else with the next. */
  push(text: string): void;
  /** Shows at once what was added. */
  flush(): void;
  /** Shows the rest at once, as it will stay. */
  end(): void;
}

/**
 * Renders Markdown into `container` as it arrives. The nodes come from a fixed list of elements;
 * HTML in the text is shown as text, pictures are not loaded, and links only report that they were
 * clicked. However the text is cut into pieces, the result is that of the whole text at once.
 */
export function createMarkdownStream(
  container: HTMLElement,
  actions: MarkdownActions = {},
): MarkdownStream {
  connectActions(container, actions);
  loadLikelyGrammars();
  return new Stream(container);
}

/** Milliseconds that one frame takes, at 60 Hz a little more. */
const frameTime = 16;

class Stream implements MarkdownStream {
  readonly #text: RenderedText;
  readonly #filter = new ControlFilter();
  #frame: number | undefined;
  /** The first text comes with the layout around it, and waits for the frame. */
  #drawn = Infinity;
  #ended = false;

  constructor(container: HTMLElement) {
    this.#text = new RenderedText(container);
  }

  push(text: string): void {
    if (this.#ended) throw new Error('The reply has ended.');
    this.#text.append(this.#filter.write(text));
    if (this.#frame !== undefined) return;
    // Where the last drawing is a frame ago, the next one need not wait for a frame to begin.
    if (performance.now() - this.#drawn > frameTime) this.flush();
    else this.#frame = requestAnimationFrame(() => this.flush());
  }

  flush(): void {
    this.#cancelFrame();
    if (this.#ended) return;
    this.#text.show();
    this.#drawn = performance.now();
  }

  end(): void {
    this.#cancelFrame();
    if (!this.#ended) this.#text.finish();
    this.#ended = true;
  }

  #cancelFrame(): void {
    if (this.#frame !== undefined) cancelAnimationFrame(this.#frame);
    this.#frame = undefined;
  }
}

function connectActions(container: HTMLElement, { openLink, runCode }: MarkdownActions): void {
  const follow = (event: MouseEvent): void => {
    const link = event.target instanceof Element ? event.target.closest('a') : null;
    if (link === null) return;
    // Neither the page nor the frame around it may follow the link by itself.
    event.preventDefault();
    event.stopPropagation();
    openLink?.(link.href, link.textContent);
  };
  container.addEventListener('click', follow);
  container.addEventListener('auxclick', follow);
  if (runCode !== undefined) connectCodeButtons(container, runCode);
}
