import type { Subject } from './subject.ts';

export { prepare, stream } from './drive.ts';

/** Characters of the lines that are skipped together while out of view. */
const pageLength = 6000;

/**
 * The minimum cost of showing a growing text: plain text, an element per line, and completed lines
 * in pages that are skipped while out of view. One DOM change per frame.
 */
export function createSubject(container: HTMLElement): Subject {
  const frame = element('plain-text');
  container.append(frame);
  return new PlainText(frame);
}

class PlainText implements Subject {
  readonly #container: HTMLElement;
  #page = element('page');
  #pageLength = 0;
  #line = document.createTextNode('');
  #waiting = '';
  #frame: number | undefined;

  constructor(container: HTMLElement) {
    this.#container = container;
    this.#openLine();
    container.append(this.#page);
  }

  push(chunk: string): void {
    this.#waiting += chunk;
    this.#frame ??= requestAnimationFrame(() => this.#flush());
  }

  end(): void {
    if (this.#frame !== undefined) cancelAnimationFrame(this.#frame);
    this.#flush();
  }

  #flush(): void {
    this.#frame = undefined;
    const [lineEnd = '', ...lines] = this.#waiting.split('\n');
    this.#waiting = '';
    if (lineEnd !== '') this.#line.appendData(lineEnd);
    this.#pageLength += lineEnd.length;
    for (const line of lines) {
      if (this.#pageLength > pageLength) this.#openPage();
      this.#openLine();
      if (line !== '') this.#line.appendData(line);
      this.#pageLength += line.length;
    }
  }

  #openPage(): void {
    this.#page.classList.add('finished');
    this.#page = element('page');
    this.#container.append(this.#page);
    this.#pageLength = 0;
  }

  #openLine(): void {
    this.#line = document.createTextNode('');
    const line = element('line');
    line.append(this.#line);
    this.#page.append(line);
  }
}

function element(className: string): HTMLElement {
  const made = document.createElement('div');
  made.className = className;
  return made;
}
