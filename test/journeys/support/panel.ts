import type { FrameLocator, Locator } from 'playwright-core';
import type { WebviewPlace, Workbench } from '../../support/vscode/workbench.ts';

/** Chat panel, by its accessible roles and names. */
export class Panel {
  readonly #workbench: Workbench;
  readonly frame: FrameLocator;

  constructor(workbench: Workbench, location: WebviewPlace = 'sidebar') {
    this.#workbench = workbench;
    this.frame = workbench.webview('aside-chat.aside', location);
  }

  /** Reveals the panel, and waits until the field is ready for input. */
  async show(): Promise<void> {
    await this.#workbench.showContainer('Aside');
    await this.input.waitFor();
  }

  /** Reveals the panel without a connection. */
  async showEmpty(): Promise<void> {
    await this.#workbench.showContainer('Aside');
    await this.button('Try the Demo').waitFor();
  }

  get input(): Locator {
    return this.frame.getByRole('textbox', { name: 'Message', exact: true });
  }

  get transcript(): Locator {
    return this.frame.getByRole('log', { name: 'Conversation' });
  }

  get messages(): Locator {
    return this.transcript.getByRole('article', { name: 'You', exact: true });
  }

  get replies(): Locator {
    return this.transcript.getByRole('article', { name: 'Assistant', exact: true });
  }

  /** A turn of a generated journal. */
  turn(number: number): Locator {
    return this.transcript.locator(`[data-turn="turn-${number}"]`);
  }

  get scroller(): Locator {
    return this.frame.locator('.scroller');
  }

  get find(): Locator {
    return this.frame.getByRole('search');
  }

  get findField(): Locator {
    return this.find.getByRole('textbox', { name: 'Find in Chat', exact: true });
  }

  /** Cards of the calls of one tool. */
  calls(tool: string): Locator {
    return this.frame.getByRole('group', { name: `Tool call: ${tool}`, exact: true });
  }

  /** Card of a turn that reached a limit. */
  get paused(): Locator {
    return this.frame.getByRole('group', { name: 'Paused', exact: true });
  }

  /** An option of the list above the composer. */
  option(name: string | RegExp): Locator {
    return this.frame.getByRole('listbox').getByRole('option', { name });
  }

  /** Estimated cost, below the composer. */
  get cost(): Locator {
    return this.frame.locator('.composer-foot .cost');
  }

  get alert(): Locator {
    return this.frame.getByRole('alert');
  }

  get status(): Locator {
    return this.frame.getByRole('status');
  }

  button(name: string | RegExp): Locator {
    return this.frame.getByRole('button', { name, exact: true });
  }

  /** Selects an item of the menu that the last button with this name opens. */
  async choose(name: string, entry: string): Promise<void> {
    await this.button(name).last().click();
    await this.menuItem(entry).click();
  }

  menuItem(name: string): Locator {
    return this.frame.getByRole('menuitem', { name, exact: true });
  }

  /** Types a message, sends it with Enter, and waits until the host has accepted it. */
  async ask(message: string): Promise<void> {
    const sameMessages = this.messages.filter({ hasText: message });
    const before = await sameMessages.count();
    await this.input.fill(message);
    await this.input.press('Enter');
    await sameMessages.nth(before).waitFor();
  }

  /** Resolves when the field contains exactly this text. */
  holds(text: string): Promise<void> {
    return this.input.evaluate((field, wanted) => {
      return new Promise<void>((resolve) => {
        const look = (): unknown =>
          field instanceof HTMLTextAreaElement && field.value === wanted
            ? resolve()
            : requestAnimationFrame(look);
        look();
      });
    }, text);
  }

  /** Resolves when no turn is running. */
  async settled(): Promise<void> {
    await this.paused.waitFor({ state: 'hidden' });
    await this.button('Stop').waitFor({ state: 'hidden' });
    await this.button('Send').waitFor();
  }

  /** Text with single spaces, independent of the layout. */
  async words(part: Locator): Promise<string> {
    return (await part.innerText()).replaceAll(/\s+/g, ' ').trim();
  }

  /** Resolves when the element has at least this number of characters. */
  async longerThan(part: Locator, length: number): Promise<void> {
    await part.filter({ hasText: new RegExp(`^[^]{${length},}`) }).waitFor();
  }
}
