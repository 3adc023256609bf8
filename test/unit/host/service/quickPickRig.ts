import assert from 'node:assert/strict';
import { Emitter, type Event } from '../../../../src/core/support/event.ts';

/** A `vscode` that shows the quick pick of {@link showIn}, for `withFakeVsCode`. */
export const vsCodeOfPicks = `
  export const l10n = { t: (text, ...given) => text.replace(/\\{(\\d+)\\}/g, (all, at) => given[at] ?? all) };
  export const env = { language: 'en' };
  export class ThemeIcon {}
  export const QuickPickItemKind = { Separator: -1 };
  export const window = {
    createQuickPick: () => globalThis.quickPickOfTest,
    showQuickPick: async (items) => items.find(({ label }) => label === globalThis.effortOfTest),
  };`;

/** Lets the extension show all its quick picks in this one. */
export function showIn(pick: FakeQuickPick): void {
  Reflect.set(globalThis, 'quickPickOfTest', pick);
}

interface Item {
  readonly label: string;
  readonly model?: string;
  readonly description?: string;
  readonly detail?: string;
  readonly buttons?: readonly { readonly tooltip: string }[];
}

/**
 * A quick pick as in VS Code: the window filters the items and activates the first match. The
 * extension learns of it when the test says so.
 */
export class FakeQuickPick {
  readonly #events = new Map<string, Emitter<unknown>>();
  #items: readonly Item[] = [];
  #active: readonly Item[] = [];
  #activeInWindow: readonly Item[] = [];
  #typed = '';
  value = '';
  title = '';
  canSelectMany = false;
  /** How often it was shown. */
  shown = 0;
  selectedItems: readonly Item[] = [];

  readonly onDidAccept = this.#event('accept');
  readonly onDidHide = this.#event('hide');
  readonly onDidChangeValue = this.#event('value');
  readonly onDidChangeSelection = this.#event('selection');
  readonly onDidTriggerButton = this.#event('button');
  readonly onDidTriggerItemButton = this.#event('item button');

  get items(): readonly Item[] {
    return this.#items;
  }

  set items(items: readonly Item[]) {
    this.#items = items;
    this.#activeInWindow = this.#matches(items).slice(0, 1);
  }

  get activeItems(): readonly Item[] {
    return this.#active;
  }

  set activeItems(items: readonly Item[]) {
    this.#active = items;
    this.#activeInWindow = this.#matches(items);
  }

  show(): void {
    this.shown += 1;
    this.notifyExtension();
  }

  hide(): void {
    this.#fire('hide');
  }

  dispose(): void {
    this.value = '';
  }

  /** Types in the window. */
  type(text: string): void {
    this.#typed = text;
    this.#activeInWindow = this.#matches(this.#items).slice(0, 1);
  }

  /** Tells the extension what has happened in the window. */
  notifyExtension(): void {
    this.#active = this.#activeInWindow;
    if (this.value === this.#typed) return;
    this.value = this.#typed;
    this.#fire('value');
  }

  moveTo(model: string): void {
    this.#activeInWindow = this.#items.filter((item) => item.model === model);
  }

  /** Selects exactly these models in a list that takes several. */
  select(...models: readonly string[]): void {
    this.selectedItems = this.#items.filter(({ model }) => models.includes(model ?? ''));
    this.#fire('selection');
  }

  /** Presses Enter, which accepts the active item. */
  enter(): void {
    if (!this.canSelectMany && this.#activeInWindow.length > 0)
      this.selectedItems = this.#activeInWindow;
    this.#fire('accept');
  }

  /** Chooses an item that is no model. */
  choose(label: string): void {
    this.selectedItems = this.#items.filter((item) => item.label === label);
    this.#fire('accept');
  }

  item(label: string): Item {
    return this.#items.find((item) => item.label === label) ?? assert.fail(label);
  }

  get models(): readonly string[] {
    return this.#items.flatMap(({ model }) => model ?? []);
  }

  /** Presses the only button of an item. */
  pressAt(label: string): void {
    const item = this.item(label);
    this.#fire('item button', { item, button: item.buttons?.[0] });
  }

  /** Presses a button of a model's item; false if there is none with this tooltip. */
  press(model: string, tooltip: string): boolean {
    const item = this.#items.find((candidate) => candidate.model === model);
    const button = item?.buttons?.find((candidate) => candidate.tooltip === tooltip);
    if (button !== undefined) this.#fire('item button', { item, button });
    return button !== undefined;
  }

  #matches(items: readonly Item[]): readonly Item[] {
    return items.filter(({ model }) => model?.includes(this.#typed));
  }

  #event(name: string): Event<unknown> {
    const emitter = new Emitter<unknown>();
    this.#events.set(name, emitter);
    return emitter.event;
  }

  #fire(name: string, value?: unknown): void {
    this.#events.get(name)?.fire(value);
  }
}
