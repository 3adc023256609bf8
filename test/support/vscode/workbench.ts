import type { FrameLocator, Locator, Page } from 'playwright-core';
import { hostName, hosts } from './hosts.ts';
import { themes, type ThemeKind } from './themes.ts';

export type WebviewPlace = 'sidebar' | 'editor';

/** Actions of a person in a VS Code window. */
export class Workbench {
  readonly page: Page;
  /** Console messages of VS Code and the pages in it. */
  readonly log: string[] = [];
  readonly #lastItem: string;
  readonly #quickInput: Locator;

  /** @param lastItem id of the status bar entry that shows that the extension is active */
  constructor(page: Page, lastItem: string) {
    this.page = page;
    page.on('console', (message) => this.log.push(message.text()));
    this.#lastItem = lastItem;
    this.#quickInput = page.locator('.quick-input-widget:visible');
  }

  async open(address: string): Promise<void> {
    await this.page.goto(address);
    await this.ready();
  }

  async reload(): Promise<void> {
    await this.page.reload();
    await this.ready();
  }

  /** Reloads the window with its command, so that VS Code saves all state before. */
  async reloadAfterSaving(): Promise<void> {
    const html = this.page.locator('html');
    await html.evaluate((page) => page.setAttribute('data-old', ''));
    await this.command('Developer: Reload Window');
    await this.page.locator('html:not([data-old])').waitFor();
    await this.ready();
  }

  /** Resolves when the window is ready, with the commands of the extension. */
  ready(): Promise<void> {
    return this.statusItem(this.#lastItem).waitFor();
  }

  /**
   * Resolves when a text is in VS Code's browser storage, which is written with a delay of seconds.
   */
  async stored(text: string): Promise<void> {
    await this.page.waitForFunction(isStored, text);
  }

  /**
   * Runs a command by its full title, for example `Aside: New Chat`. An element that is focused
   * with a delay closes the list of commands, which is then opened again.
   */
  async command(title: string): Promise<void> {
    const run = async (options: { readonly timeout?: number } = {}): Promise<void> => {
      await this.page.keyboard.press('F1');
      await this.#quickInput.locator('input.input').fill(`>${title}`, options);
      await this.#row(title).click(options);
    };
    await run({ timeout: 10_000 }).catch(() => run());
  }

  /** The open input box or quick pick, with its title, message and rows. */
  get quickInput(): Locator {
    return this.#quickInput;
  }

  get rows(): Locator {
    return this.#quickInput.locator('.monaco-list-row');
  }

  /** Fills in and accepts the input box with this title. */
  async answer(title: string | RegExp, text: string): Promise<void> {
    await this.#titled(title).waitFor();
    await this.#quickInput.locator('input.input').fill(text);
    await this.page.keyboard.press('Enter');
  }

  /** Filters the quick pick by a label, and accepts the row with exactly that label. */
  async pick(label: string): Promise<void> {
    await this.#quickInput.locator('input.input').fill(label);
    await this.#row(label).click();
  }

  /** Like `pick`, for a list that VS Code may redraw: a click could be lost, or hit another row. */
  async pickWhileListed(label: string): Promise<void> {
    await this.#quickInput.locator('input.input').fill(label);
    await this.#row(label).and(this.#quickInput.locator('.focused')).waitFor();
    await this.page.keyboard.press('Enter');
  }

  /** Toggles the checkbox of a row in the open list, and accepts the list. */
  async tick(label: string): Promise<void> {
    await this.#quickInput.locator('input.input').fill(label);
    await this.#row(label).click();
    await this.#quickInput.getByRole('button', { name: 'OK' }).click();
    await this.#quickInput.waitFor({ state: 'hidden' });
  }

  /** A status bar entry, by extension and id. */
  statusItem(id: string): Locator {
    return this.page.locator(`.statusbar-item[id="${id}"]`);
  }

  /** Reveals a view container. Clicking the entry of a visible one would hide it. */
  async showContainer(title: string): Promise<void> {
    const entry = this.page
      .locator('.activitybar .action-item')
      .filter({ has: this.page.locator(`a[aria-label^="${title}"]`) });
    await entry.waitFor();
    const isChecked = entry.and(this.page.locator('.checked'));
    if ((await isChecked.count()) === 0) await entry.click();
    await isChecked.waitFor();
  }

  /**
   * Page of an extension's webview in the sidebar, or in the visible tab. The locator stays valid
   * after a reload.
   */
  webview(extensionId: string, location: WebviewPlace = 'sidebar'): FrameLocator {
    if (hosts[hostName].age === 'oldest') return this.#webviewOfOldest(extensionId, location);
    // Editors are at the right edge of the window.
    const atEdge = '.webview-overlay-outer-right';
    const around = location === 'sidebar' ? `:not(${atEdge})` : atEdge;
    const outer = `${around} > iframe.webview[src*="extensionId=${extensionId}"]`;
    if (location === 'sidebar') return this.page.frameLocator(outer).frameLocator('#active-frame');
    // The previous tab is still there for a moment.
    const visibleWebviews = this.page.locator(outer).filter({ visible: true });
    return visibleWebviews.contentFrame().frameLocator('#active-frame');
  }

  /** In the oldest VS Code, only the position identifies a webview: the sidebar is next to the activity bar. */
  #webviewOfOldest(extensionId: string, location: WebviewPlace): FrameLocator {
    const besideIcons = '[style*="left: 48px"]';
    const around = location === 'sidebar' ? besideIcons : `:not(${besideIcons})`;
    const all = this.page.locator(`${around} > iframe.webview[src*="extensionId=${extensionId}"]`);
    return all.filter({ visible: true }).contentFrame().frameLocator('#active-frame');
  }

  /** A button in the title of the sidebar. */
  titleButton(name: string): Locator {
    const title = this.page.locator('.part.sidebar .title');
    return title.getByRole('button', { name, exact: true }).first();
  }

  /** A notification, by its text. Not available in a window that runs a suite. */
  toast(text: string | RegExp): Locator {
    return this.page.locator('.notification-toast', { hasText: text });
  }

  toastButton(text: string | RegExp, button: string): Locator {
    return this.toast(text).getByRole('button', { name: button, exact: true });
  }

  /** The open modal dialog. */
  get dialog(): Locator {
    return this.page.locator('.monaco-dialog-box');
  }

  dialogButton(name: string): Locator {
    return this.dialog.getByRole('button', { name, exact: true });
  }

  async openFile(name: string): Promise<void> {
    await this.page.keyboard.press('ControlOrMeta+P');
    await this.pickWhileListed(name);
    await this.page.locator(`.tab.active[data-resource-name="${name}"]`).waitFor();
    await this.page
      .locator('.editor-group-container.active .monaco-editor .view-line')
      .first()
      .waitFor();
  }

  /** Moves the cursor in the active editor. Line and column are 1-based. */
  async goTo(line: number, column = 1): Promise<void> {
    await this.page.keyboard.press('Control+G');
    await this.#quickInput.locator('input.input').fill(`:${line}:${column}`);
    await this.page.keyboard.press('Enter');
    await this.#quickInput.waitFor({ state: 'hidden' });
  }

  /** Selects whole lines of the active editor, 1-based. */
  async selectLines(first: number, last: number): Promise<void> {
    await this.goTo(first);
    await this.page.keyboard.press('Home');
    for (let line = first; line < last; line++) await this.page.keyboard.press('Shift+ArrowDown');
    await this.page.keyboard.press('Shift+End');
  }

  async setTheme(kind: ThemeKind): Promise<void> {
    const { name, window } = themes[kind];
    await this.command('Preferences: Color Theme');
    await this.pick(name);
    await this.page.locator(`.monaco-workbench.${window}`).waitFor();
  }

  #titled(title: string | RegExp): Locator {
    return this.#quickInput.locator('.quick-input-title', { hasText: title });
  }

  #row(label: string): Locator {
    // What was typed is in an element of its own, so a part of a longer label may look like this one.
    const literal = label.replaceAll(/[$()*+.?[\\\]^{|}]/gu, String.raw`\$&`);
    const whole = new RegExp(String.raw`^\s*${literal}\s*$`, 'u');
    const exact = this.page.locator('.label-name').filter({ hasText: whole });
    return this.rows.filter({ has: exact }).first();
  }
}

/** Runs in the page. */
async function isStored(text: string): Promise<boolean> {
  const settle = <Value>(request: IDBRequest<Value>): Promise<Value> =>
    new Promise((resolve, reject) => {
      request.onsuccess = () => resolve(request.result);
      request.onerror = () => reject(new Error(request.error?.message));
    });
  for (const { name = '' } of await indexedDB.databases()) {
    const database = await settle(indexedDB.open(name));
    try {
      for (const store of database.objectStoreNames) {
        const all: unknown = await settle(database.transaction(store).objectStore(store).getAll());
        if (JSON.stringify(all).includes(text)) return true;
      }
    } finally {
      database.close();
    }
  }
  return false;
}
