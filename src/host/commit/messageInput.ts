import { revealInvisible } from '../../core/support/invisible.ts';

/** The input of Source Control while a message streams into it. */
export class MessageInput {
  readonly #input: { value: string };
  readonly #before: string;
  #received = '';
  #message = '';

  constructor(input: { value: string }) {
    this.#input = input;
    this.#before = input.value;
  }

  /** Shows more of the message. False where the person typed something else, which stays. */
  add(text: string): boolean {
    if (!this.#isOurs()) return false;
    this.#received += text;
    this.#message = messageIn(this.#received);
    this.#input.value = this.#message;
    return true;
  }

  get isEmpty(): boolean {
    return this.#message === '';
  }

  /** Puts back what was there before, unless the person wrote something since. */
  restore(): void {
    if (this.#isOurs()) this.#input.value = this.#before;
  }

  /** VS Code tells what an input holds a little late: it may still be less of the message. */
  #isOurs(): boolean {
    const { value } = this.#input;
    return value === this.#before || this.#message.startsWith(value);
  }
}

/** The message in an answer, which may stand in a fence. Of a longer answer it is a longer message. */
export function messageIn(answer: string): string {
  const text = answer.trimStart();
  // What may become a fence is not shown yet.
  if (/^`{1,2}$|^`{3}[^\n]*$/.test(text)) return '';
  const fence = /^`{3,}[^\n]*\n/.exec(text)?.[0];
  const inside = fence === undefined ? text : withoutEnd(text.slice(fence.length).trimStart());
  return revealInvisible(inside.replaceAll('\r\n', '\n')).text.trimEnd();
}

function withoutEnd(text: string): string {
  return text.replace(/\n`{1,2}$|\n`{3}[\s\S]*$/, '');
}
