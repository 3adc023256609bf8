import { signal, type ReadonlySignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';

/** An entry of a menu. */
export interface MenuItem {
  /** Name of a codicon. */
  readonly icon: string;
  readonly name: string;
  /** True if an entry that switches something is on. */
  readonly isOn?: boolean;
  /** Reason why it can't be chosen now. */
  readonly disabled?: string | undefined;
  readonly run: () => void;
}

/** An open menu. The panel draws it above everything else. */
export interface OpenMenu {
  /** The button that opened it, which gets the focus when it closes. */
  readonly anchor: HTMLElement;
  readonly items: readonly MenuItem[];
  /** Shown below the entries. */
  readonly facts?: ComponentChildren;
}

const current = signal<OpenMenu | undefined>(undefined);

export const shownMenu: ReadonlySignal<OpenMenu | undefined> = current;

/** Opens a menu at its button, or closes it if it is open. */
export function toggleMenu(menu: OpenMenu): void {
  const isOpen = current.peek()?.anchor === menu.anchor;
  closeMenu();
  if (isOpen) return;
  current.value = menu;
  menu.anchor.setAttribute('aria-expanded', 'true');
}

export function closeMenu(): void {
  current.peek()?.anchor.setAttribute('aria-expanded', 'false');
  current.value = undefined;
}
