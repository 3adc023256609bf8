/** Cuts text that comes in pieces into lines. The line that may still grow is held back. */
export class LineSplitter {
  /** Pieces of the line: joined once, so that a line of a megabyte costs no more than its length. */
  #pieces: string[] = [];

  /** The lines that are whole now, each with its line end. */
  push(text: string): readonly string[] {
    const lines: string[] = [];
    let start = 0;
    for (let end = text.indexOf('\n'); end >= 0; end = text.indexOf('\n', start)) {
      this.#pieces.push(text.slice(start, end + 1));
      lines.push(this.end());
      start = end + 1;
    }
    if (start < text.length) this.#pieces.push(text.slice(start));
    return lines;
  }

  /** What there is of the last line, once nothing follows; empty where the text ended with a line. */
  end(): string {
    const line = this.#pieces.join('');
    this.#pieces = [];
    return line;
  }
}
