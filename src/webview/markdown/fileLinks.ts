import {
  fileOfAddress,
  fileOfCode,
  fileWords,
  type FileWord,
  type NamedFile,
} from './namedFile.ts';

/** Connects the links in a reply to the workspace. */
export interface FileLinkActions {
  /** Resolves words to files and symbols of the workspace, in the order of the words. */
  readonly find: (words: readonly WrittenWord[]) => Promise<readonly (NamedFile | undefined)[]>;
  readonly open: (file: NamedFile) => void;
}

interface WrittenWord {
  readonly text: string;
  readonly isCode: boolean;
}

interface Mention extends FileWord {
  /** A text, or the frame of a link that can't be opened. */
  readonly node: Text | Element;
  readonly isCode: boolean;
}

/** Limit on the references of a reply; further ones stay text. */
const maxWords = 200;
const skipped = 'pre, a, button, .code-block, .image-address, .formula';

/**
 * Adds links to the files and symbols that a finished reply mentions. A link has no address: the
 * element identifies it, so that nothing that a model writes can be followed.
 */
export class FileLinks {
  readonly #container: HTMLElement;
  readonly #actions: FileLinkActions;
  readonly #files = new WeakMap<Element, NamedFile>();

  constructor(container: HTMLElement, actions: FileLinkActions) {
    this.#container = container;
    this.#actions = actions;
    container.addEventListener('click', (event) => this.#open(event));
    container.addEventListener('keydown', (event) => {
      if (event.key === 'Enter') this.#open(event);
    });
  }

  /** Resolves and marks the references in the text. */
  async add(): Promise<void> {
    const mentions = findMentions(this.#container);
    const words = new Map<string, WrittenWord>();
    for (const mention of mentions) {
      const { file, isCode } = mention;
      if (words.size < maxWords) words.set(keyOf(mention), { text: file.path, isCode });
    }
    if (words.size === 0) return;
    const targets = await this.#actions.find([...words.values()]);
    const files = new Map([...words.keys()].map((key, index) => [key, targets[index]]));
    if (targets.every((file) => file === undefined)) return;
    await unselected(this.#container);
    // In reverse order, so that the offsets of earlier words stay valid.
    for (const mention of mentions.toReversed()) {
      const file = files.get(keyOf(mention));
      if (file !== undefined) this.#mark(mention, file);
    }
  }

  #mark({ node, start, end, file: { line } }: Mention, target: NamedFile): void {
    const { path } = target;
    const at = line ?? target.line;
    const file: NamedFile = { path, ...(at !== undefined && { line: at }) };
    const link = node.ownerDocument.createElement('a');
    link.className = 'file-link';
    link.setAttribute('role', 'link');
    link.tabIndex = 0;
    link.title = at === undefined ? path : `${path}:${at}`;
    const range = node.ownerDocument.createRange();
    if (node instanceof Element) range.selectNodeContents(node);
    else {
      range.setStart(node, start);
      range.setEnd(node, end);
    }
    link.append(range.extractContents());
    range.insertNode(link);
    this.#files.set(link, file);
  }

  #open(event: Event): void {
    const link = event.target instanceof Element ? event.target.closest('.file-link') : null;
    const file = link === null ? undefined : this.#files.get(link);
    if (file === undefined) return;
    event.preventDefault();
    this.#actions.open(file);
  }
}

function keyOf({ file, isCode }: Mention): string {
  return `${isCode ? '`' : ' '}${file.path}`;
}

/** The references in text and inline code, in order. */
function findMentions(container: HTMLElement): Mention[] {
  const mentions: Mention[] = [];
  const { ownerDocument } = container;
  const walker = ownerDocument.createTreeWalker(
    container,
    NodeFilter.SHOW_ELEMENT | NodeFilter.SHOW_TEXT,
    (node) =>
      node instanceof Element && node.matches(skipped)
        ? NodeFilter.FILTER_REJECT
        : NodeFilter.FILTER_ACCEPT,
  );
  for (let node = walker.nextNode(); node !== null; node = walker.nextNode()) {
    if (node instanceof Element) addOfLink(node, mentions);
    else if (node instanceof Text) addOfText(node, mentions);
  }
  return mentions;
}

function addOfLink(node: Element, mentions: Mention[]): void {
  if (!node.matches('.plain-link')) return;
  const word = fileOfAddress(node.textContent);
  if (word !== undefined) mentions.push({ ...word, node, isCode: false });
}

function addOfText(node: Text, mentions: Mention[]): void {
  const { parentElement } = node;
  if (parentElement === null || parentElement.closest('.plain-link') !== null) return;
  const isCode = parentElement.localName === 'code';
  const word = isCode ? fileOfCode(node.data) : undefined;
  const words = isCode ? (word === undefined ? [] : [word]) : fileWords(node.data);
  for (const fileWord of words) mentions.push({ ...fileWord, node, isCode });
}

/** Resolves when no text within is selected, since marking it would change the selection. */
async function unselected(container: HTMLElement): Promise<void> {
  const { ownerDocument } = container;
  while (hasSelection(container)) {
    await new Promise((resolve) =>
      ownerDocument.addEventListener('selectionchange', resolve, { once: true }),
    );
  }
}

function hasSelection(container: HTMLElement): boolean {
  const selection = container.ownerDocument.getSelection();
  return selection?.isCollapsed === false && selection.containsNode(container, true);
}
