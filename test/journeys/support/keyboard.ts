import assert from 'node:assert/strict';
import type { Locator } from 'playwright-core';
import type { Journey } from './journey.ts';

/** A person without a mouse. Presses of mouse buttons in any frame of the window are recorded. */
export class Keyboard {
  readonly #walk: Journey;
  readonly #pressed: string[] = [];

  private constructor(walk: Journey) {
    this.#walk = walk;
  }

  static async watch(walk: Journey): Promise<Keyboard> {
    const keyboard = new Keyboard(walk);
    const { page } = walk.workbench;
    page.on('console', (message) => {
      if (message.text().startsWith('Mouse: ')) keyboard.#pressed.push(message.text());
    });
    await page.addInitScript(noteMouse);
    for (const frame of page.frames()) await frame.evaluate(noteMouse);
    return keyboard;
  }

  async press(...keys: readonly string[]): Promise<void> {
    for (const key of keys) await this.#walk.workbench.page.keyboard.press(key);
  }

  /** Presses Enter on a button once it has focus, and takes presses. */
  async enter(button: Locator): Promise<void> {
    await this.reach(() => isFocused(button));
    await untilEnabled(button);
    await this.press('Enter');
  }

  /** Types into the focused element. */
  async type(text: string): Promise<void> {
    await this.#walk.workbench.page.keyboard.insertText(text);
  }

  /** Runs a command by its full title. Opens the list again if an element closes it by its focus. */
  async command(title: string): Promise<void> {
    const run = async (options: { readonly timeout?: number } = {}): Promise<void> => {
      await this.press('F1');
      await this.choose(`>${title}`, title, options);
    };
    await run({ timeout: 10_000 }).catch(() => run());
  }

  /** Filters the open list, and accepts the row with this text once it is the active one. */
  async choose(
    typed: string,
    text: string,
    options: { readonly timeout?: number } = {},
  ): Promise<void> {
    const { quickInput, rows } = this.#walk.workbench;
    await quickInput.locator('input.input:focus').waitFor(options);
    await this.press('ControlOrMeta+A');
    await this.type(typed);
    await rows.and(quickInput.locator('.focused')).filter({ hasText: text }).waitFor(options);
    await this.press('Enter');
  }

  /** Fills in the open input box with this title. */
  async answer(title: string, text: string): Promise<void> {
    const { quickInput } = this.#walk.workbench;
    await quickInput.locator('.quick-input-title', { hasText: title }).waitFor();
    await quickInput.locator('input.input:focus').waitFor();
    await this.press('ControlOrMeta+A');
    await this.type(text);
    await this.press('Enter');
  }

  async connect(): Promise<void> {
    const { baseUrl, key, panel } = this.#walk;
    await this.command('Aside: Connect to a Service…');
    await this.answer('Connect to a Service', baseUrl);
    await this.answer('API Key for 127.0.0.1', key);
    await this.#walk.workbench.rows.filter({ hasText: 'mistral-small' }).waitFor();
    await this.choose('mistral-small', 'mistral-small');
    await panel.frame.locator('.message-field:focus').waitFor();
  }

  /** Sends a message from the composer, which must have focus. */
  async send(text: string): Promise<void> {
    await this.#walk.panel.frame.locator('.message-field:focus').waitFor();
    await this.type(text);
    await this.press('Enter');
    await this.#walk.panel.messages.filter({ hasText: text }).last().waitFor();
  }

  /** Presses Tab or another key until an element has focus. */
  async reach(isReached: () => Promise<boolean>, key = 'Tab', most = 60): Promise<void> {
    for (let presses = 0; !(await isReached()); presses++) {
      assert.ok(presses < most, `Not reached with ${most} presses of ${key}.`);
      await this.press(key);
    }
  }

  /** Fails if the mouse was used. */
  check(): void {
    assert.deepEqual(this.#pressed, []);
  }
}

export const isFocused = async (element: Locator): Promise<boolean> =>
  (await element.count()) > 0 && element.first().evaluate((node) => node.matches(':focus'));

/** Waits until a button that allows, accepts or starts something has been there for long enough. */
export async function untilEnabled(button: Locator): Promise<void> {
  await (await button.elementHandle()).waitForElementState('enabled');
}

function noteMouse(): void {
  for (const type of ['pointerdown', 'mousedown', 'wheel'] as const)
    window.addEventListener(
      type,
      (event) => {
        if (event.isTrusted) console.debug(`Mouse: ${type}`);
      },
      true,
    );
}
