/** Splits streaming text into lines. The last line is held back until it is complete. */
export class LineSplitter {
  /**
   * Pieces of the incomplete line, joined once: repeated concatenation of a long line would be
   * slow.
   */
  #pieces: string[] = [];

  /** Adds text, and returns the lines that are now complete, each with its line ending. */
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

  /** Returns the incomplete last line; empty if the text ended with a line ending. */
  end(): string {
    const line = this.#pieces.join('');
    this.#pieces = [];
    return line;
  }
}
