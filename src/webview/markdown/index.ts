import { connectCodeButtons, type OpenCodeMenu, type RunCode } from './codeBlock.ts';
import { background } from '../../core/support/background.ts';
import { ControlFilter } from '../../core/support/controlSequences.ts';
import { FileLinks, type FileLinkActions } from './namedFile.ts';
import { loadLikelyGrammars } from './languages.ts';
import { RenderedText } from './renderedText.ts';

export { connectCodeButtons, createCodeBlock, type RunCode, type ShownCode } from './codeBlock.ts';
export type { CodeAction } from './codeBlock.ts';

/** Callbacks for links and buttons in a reply. */
export interface MarkdownActions {
  readonly openLink?: (href: string, label: string) => void;
  readonly runCode?: RunCode;
  readonly openMenu?: OpenCodeMenu;
  /** If undefined, references to files stay text. */
  readonly files?: FileLinkActions;
}

export interface MarkdownStream {
  /**
   * Adds text. It is rendered immediately if this frame has rendered nothing yet, otherwise in the
   * next frame, or in the one after that if text arrives faster than anybody can read.
   */
  push(text: string): void;
  /** Renders all added text at once. */
  flush(): void;
  end(): void;
}

/**
 * Renders Markdown into `container` as it is streamed. Nodes are created from a fixed list of
 * elements; HTML is shown as text, images aren't loaded, and links only call back when clicked. The
 * result doesn't depend on how the text is split into chunks.
 */
export function createMarkdownStream(
  container: HTMLElement,
  actions: MarkdownActions = {},
): MarkdownStream {
  const { openLink, runCode, openMenu = () => undefined } = actions;
  const follow = (event: MouseEvent): void => {
    const link = event.target instanceof Element ? event.target.closest('a') : null;
    if (link === null) return;
    // Neither the page nor the webview frame may follow the link.
    event.preventDefault();
    event.stopPropagation();
    if (link.href !== '') openLink?.(link.href, link.textContent);
  };
  container.addEventListener('click', follow);
  container.addEventListener('auxclick', follow);
  if (runCode !== undefined) connectCodeButtons(container, runCode, openMenu);
  container.addEventListener('copy', () => {
    const page = container.ownerDocument.documentElement;
    if (page.querySelector('.formula.drawn') === null) return;
    // Reduces formulas to their source while the browser reads the selection.
    page.classList.add('copying');
    setTimeout(() => page.classList.remove('copying'));
  });
  loadLikelyGrammars();
  const links = actions.files && new FileLinks(container, actions.files);
  return new Stream(container, links);
}

/** Milliseconds of a frame; slightly more at 60 Hz. */
const frameTime = 16;
/**
 * Characters per millisecond. Faster text, which nobody can follow, is rendered in every second
 * frame.
 */
const fastText = 1.5;
/** Milliseconds between renderings of fast text: more than one frame, less than two. */
const fastInterval = 24;

class Stream implements MarkdownStream {
  readonly #text: RenderedText;
  readonly #filter = new ControlFilter();
  readonly #links: FileLinks | undefined;
  #frame: number | undefined;
  /** Infinity until the first text, which waits for the layout of its surroundings. */
  #drawn = Infinity;
  /** Number of characters that aren't rendered yet. */
  #waiting = 0;
  /** Milliseconds between two renderings. */
  #interval = frameTime;
  #ended = false;

  constructor(container: HTMLElement, links: FileLinks | undefined) {
    this.#text = new RenderedText(container);
    this.#links = links;
  }

  push(text: string): void {
    if (this.#ended) throw new Error('The reply has ended.');
    this.#text.append(this.#filter.write(text));
    this.#waiting += text.length;
    if (this.#frame !== undefined) return;
    // The last rendering was at least a frame ago, so there is no need to wait for the next frame.
    if (this.#isDue()) this.flush();
    else this.#frame = requestAnimationFrame(() => this.#drawWhenDue());
  }

  flush(): void {
    this.#cancelFrame();
    if (this.#ended) return;
    const speed = this.#waiting / (performance.now() - this.#drawn);
    this.#interval = speed > fastText ? fastInterval : frameTime;
    this.#waiting = 0;
    this.#text.show();
    this.#drawn = performance.now();
  }

  #isDue(): boolean {
    return performance.now() - this.#drawn > this.#interval;
  }

  #drawWhenDue(): void {
    if (this.#interval === frameTime || this.#isDue()) this.flush();
    else this.#frame = requestAnimationFrame(() => this.#drawWhenDue());
  }

  end(): void {
    this.#cancelFrame();
    if (this.#ended) return;
    this.#ended = true;
    this.#text.finish();
    background(this.#links?.add());
  }

  #cancelFrame(): void {
    if (this.#frame !== undefined) cancelAnimationFrame(this.#frame);
    this.#frame = undefined;
  }
}
