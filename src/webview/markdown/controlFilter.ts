const escape = '\u001B';
/** Introducers of ESC sequences whose payload runs to a terminator: DCS, SOS, OSC, PM, APC. */
const stringIntroducers = 'PX]^_';

type State = 'text' | 'escape' | 'sequence' | 'string' | 'string-escape';

/**
 * Removes terminal escape sequences and control characters other than line feed and tab, and turns
 * every line ending into `\n`. The result does not depend on how the text was split into chunks.
 */
export class ControlFilter {
  #state: State = 'text';
  #afterReturn = false;

  write(text: string): string {
    // Fast path: most chunks contain no control characters.
    if (this.#state === 'text' && !this.#afterReturn && !hasControl(text)) return text;
    let kept = '';
    for (const character of text) kept += this.#next(character);
    return kept;
  }

  #next(character: string): string {
    if (this.#state !== 'text') return this.#inEscape(character);
    const afterReturn = this.#afterReturn;
    this.#afterReturn = character === '\r';
    if (character === '\r') return '\n';
    if (character === '\n') return afterReturn ? '' : '\n';
    if (character === escape) this.#state = 'escape';
    return isControl(character) ? '' : character;
  }

  /**
   * A line ending ends every sequence, so that an unfinished one cannot swallow the rest of a
   * reply.
   */
  #inEscape(character: string): string {
    if (character === '\n' || character === '\r') {
      this.#state = 'text';
      return this.#next(character);
    }
    this.#state = after(this.#state, character);
    return '';
  }
}

function after(state: State, character: string): State {
  switch (state) {
    case 'escape':
      if (character === '[') return 'sequence';
      if (stringIntroducers.includes(character)) return 'string';
      return character >= ' ' && character <= '/' ? 'escape' : 'text';
    case 'sequence':
      return character >= '@' && character <= '~' ? 'text' : 'sequence';
    case 'string':
      if (character === escape) return 'string-escape';
      return character === '\u0007' || character === '\u009C' ? 'text' : 'string';
    case 'string-escape':
      return character === '\\' ? 'text' : 'string';
    case 'text':
      return 'text';
  }
}

function isControl(character: string): boolean {
  if (character === '\n' || character === '\t') return false;
  return character < ' ' || (character >= '\u007F' && character <= '\u009F');
}

function hasControl(text: string): boolean {
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index);
    if ((code < 32 && code !== 9 && code !== 10) || (code >= 127 && code <= 159)) return true;
  }
  return false;
}
