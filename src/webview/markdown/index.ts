import { connectCodeButtons, type RunCode } from './codeBlock.ts';
import { ControlFilter } from './controlFilter.ts';
import { loadLikelyGrammars } from './highlight/languages.ts';
import { RenderedText } from './renderedText.ts';

export { connectCodeButtons, createCodeBlock, type CodeAction } from './codeBlock.ts';

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

class Stream implements MarkdownStream {
  readonly #text: RenderedText;
  readonly #filter = new ControlFilter();
  /** The frame until which nothing is drawn any more. */
  #frame: number | undefined;
  /** Whether something was added that is not drawn yet. */
  #waits = false;
  #began = false;
  #ended = false;

  constructor(container: HTMLElement) {
    this.#text = new RenderedText(container);
  }

  push(text: string): void {
    if (this.#ended) throw new Error('The reply has ended.');
    this.#text.append(this.#filter.write(text));
    this.#waits = true;
    // A frame that has nothing yet takes it at once; with the first text comes the layout around it.
    if (this.#began && this.#frame === undefined) this.flush();
    this.#began = true;
    this.#frame ??= requestAnimationFrame(() => this.#enterFrame());
  }

  flush(): void {
    this.#cancelFrame();
    this.#waits = false;
    if (!this.#ended) this.#text.show();
  }

  end(): void {
    this.#cancelFrame();
    if (!this.#ended) this.#text.finish();
    this.#ended = true;
  }

  /** One drawing a frame: what comes after it waits for the next one. */
  #enterFrame(): void {
    this.#frame = undefined;
    if (!this.#waits) return;
    this.flush();
    this.#frame = requestAnimationFrame(() => this.#enterFrame());
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
