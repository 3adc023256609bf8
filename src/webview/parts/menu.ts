import { signal, type ReadonlySignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';

export interface MenuItem {
  readonly icon: string;
  readonly name: string;
  /** True if a toggle entry is on. */
  readonly isOn?: boolean;
  /** Reason why it can't be selected now. */
  readonly disabled?: string | undefined;
  /** True if it allows, accepts or starts something, so that only deliberate presses count. */
  readonly isDeliberate?: boolean;
  readonly run: () => void;
}

/** An open menu. The panel renders it above everything else. */
export interface OpenMenu {
  /** The button that opened it, which gets focus when it closes. */
  readonly anchor: HTMLElement;
  readonly items: readonly MenuItem[];
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
