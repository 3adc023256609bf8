import { connectCodeButtons, type RunCode } from './codeBlock.ts';
import { completeTail } from './completeTail.ts';
import { ControlFilter } from './controlFilter.ts';
import { parseMarkdown, type References } from './parser.ts';
import { patchNodes } from './patchNodes.ts';
import { renderBlocks } from './renderBlocks.ts';
import { stableLength } from './stableLength.ts';

export { connectCodeButtons, createCodeBlock, type CodeAction } from './codeBlock.ts';

/** What the reader can set off inside a reply. */
export interface MarkdownActions {
  readonly openLink?: (href: string, label: string) => void;
  readonly runCode?: RunCode;
}

/** A reply on its way into the page. */
export interface MarkdownStream {
  /** Adds text; it is shown with the next frame. */
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
  return new Stream(container);
}

class Stream implements MarkdownStream {
  readonly #container: HTMLElement;
  readonly #filter = new ControlFilter();
  #text = '';
  /** How much of the text is in nodes that are not touched again, and the last of these nodes. */
  #frozenLength = 0;
  #lastFrozen: ChildNode | undefined;
  #references: References = {};
  #frame: number | undefined;
  #ended = false;

  constructor(container: HTMLElement) {
    this.#container = container;
  }

  push(text: string): void {
    if (this.#ended) throw new Error('The reply has ended.');
    this.#text += this.#filter.write(text);
    this.#frame ??= requestAnimationFrame(() => this.flush());
  }

  end(): void {
    if (this.#ended) return;
    this.#ended = true;
    this.#cancelFrame();
    const tail = this.#text.slice(this.#frozenLength);
    const [tokens, references] = parseMarkdown(tail, this.#references);
    // A definition also changes links above it, which were already rendered without it.
    if (Object.keys(references).length > 0) this.#renderAnew();
    else this.#patch(renderBlocks(tokens, this.#container.ownerDocument));
  }

  flush(): void {
    if (this.#ended) return;
    this.#cancelFrame();
    const frozen = this.#takeStable();
    const tail = completeTail(this.#text.slice(this.#frozenLength));
    const [tokens] = parseMarkdown(tail, this.#references);
    const open = renderBlocks(tokens, this.#container.ownerDocument);
    this.#patch([...frozen, ...open]);
    this.#freeze(frozen.length);
  }

  #cancelFrame(): void {
    if (this.#frame !== undefined) cancelAnimationFrame(this.#frame);
    this.#frame = undefined;
  }

  /** Nodes of the blocks that became certain; from here on they are not parsed again. */
  #takeStable(): readonly ChildNode[] {
    const tail = this.#text.slice(this.#frozenLength);
    const length = stableLength(tail.slice(0, tail.lastIndexOf('\n') + 1));
    if (length === 0) return [];
    this.#frozenLength += length;
    const [tokens, references] = parseMarkdown(tail.slice(0, length), this.#references);
    this.#references = references;
    return renderBlocks(tokens, this.#container.ownerDocument);
  }

  #firstOpen(): ChildNode | null {
    return this.#lastFrozen === undefined
      ? this.#container.firstChild
      : this.#lastFrozen.nextSibling;
  }

  #freeze(count: number): void {
    for (let index = 0; index < count; index++) {
      const node = this.#firstOpen();
      if (node !== null) this.#lastFrozen = node;
    }
  }

  #renderAnew(): void {
    const [tokens] = parseMarkdown(this.#text, {});
    this.#lastFrozen = undefined;
    this.#patch(renderBlocks(tokens, this.#container.ownerDocument));
  }

  #patch(nodes: readonly ChildNode[]): void {
    patchNodes(this.#container, this.#firstOpen(), nodes);
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
