import { signal } from '@preact/signals';
import type { ComponentChildren, TargetedKeyboardEvent } from 'preact';
import { useId, useLayoutEffect, useRef } from 'preact/hooks';
import { Icon } from './controls.tsx';
import { useDeliberatePress } from './deliberatePress.ts';

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

interface OpenMenu {
  /** The button that opened it, which gets focus when it closes. */
  readonly anchor: HTMLElement;
  readonly items: readonly MenuItem[];
  readonly facts?: ComponentChildren;
}

const current = signal<OpenMenu | undefined>(undefined);

/** Opens a menu at its button, or closes it if it is open. */
export function toggleMenu(menu: OpenMenu): void {
  const isOpen = current.peek()?.anchor === menu.anchor;
  closeMenu();
  if (isOpen) return;
  current.value = menu;
  menu.anchor.setAttribute('aria-expanded', 'true');
}

function closeMenu(): void {
  current.peek()?.anchor.setAttribute('aria-expanded', 'false');
  current.value = undefined;
}

/** The open menu, which the panel renders above everything else. */
export function MenuList() {
  const menu = current.value;
  return menu === undefined ? null : <Menu menu={menu} />;
}

/** Pixels between the menu, its button and the edges of the panel. */
const edge = 4;

function Menu({ menu }: { readonly menu: OpenMenu }) {
  const frame = useRef<HTMLDivElement>(null);
  const id = useId();
  const { anchor, items, facts } = menu;
  useLayoutEffect(() => {
    const listeners = new AbortController();
    const options = { capture: true, signal: listeners.signal };
    // Below the button, or above it if there is more room; it stays there during scrolling.
    const place = (): void => {
      if (!anchor.isConnected) closeMenu();
      const { current: element } = frame;
      if (element === null || !anchor.isConnected) return;
      const button = anchor.getBoundingClientRect();
      const { offsetWidth: width, offsetHeight: height } = element;
      const { innerWidth, innerHeight } = window;
      const below = button.bottom + edge;
      const isBelow = below + height <= innerHeight || button.top < innerHeight - button.bottom;
      const y = isBelow ? below : button.top - height - edge;
      const isRightToLeft = getComputedStyle(anchor).direction === 'rtl';
      const x = isRightToLeft ? button.right - width : button.left;
      element.style.top = `${Math.max(edge, Math.min(y, innerHeight - height - edge))}px`;
      element.style.left = `${Math.max(edge, Math.min(x, innerWidth - width - edge))}px`;
    };
    const press = ({ target }: Event): void => {
      // The button closes its menu itself.
      const isInside =
        target instanceof Node && (anchor.contains(target) || frame.current?.contains(target));
      if (isInside !== true) closeMenu();
    };
    place();
    window.addEventListener('resize', place, options);
    document.addEventListener('scroll', place, options);
    document.addEventListener('pointerdown', press, options);
    return () => listeners.abort();
  }, [anchor]);
  useLayoutEffect(() => frame.current?.querySelector<HTMLElement>('button')?.focus(), [menu]);
  return (
    <div
      class="menu"
      ref={frame}
      onKeyDown={(event) => handleKey(event, anchor)}
      onFocusOut={({ relatedTarget }) => {
        const isInside = relatedTarget instanceof Node && frame.current?.contains(relatedTarget);
        if (isInside !== true && relatedTarget !== anchor) closeMenu();
      }}
    >
      <div
        role="menu"
        aria-label={anchor.getAttribute('aria-label') ?? ''}
        aria-describedby={facts === undefined ? undefined : id}
      >
        {items.map((item) => (
          <Entry key={item.name} item={item} anchor={anchor} />
        ))}
      </div>
      {facts !== undefined && (
        <div class="menu-facts" id={id}>
          {facts}
        </div>
      )}
    </div>
  );
}

interface EntryProps {
  readonly item: MenuItem;
  readonly anchor: HTMLElement;
}

function Entry({ item, anchor }: EntryProps) {
  const { icon, name, isOn, disabled, isDeliberate = false, run } = item;
  const { ref, isSettled, click } = useDeliberatePress(name, isDeliberate, () => {
    close(anchor);
    run();
  });
  return (
    <button
      ref={ref}
      type="button"
      role={isOn === undefined ? 'menuitem' : 'menuitemcheckbox'}
      tabIndex={-1}
      aria-checked={isOn}
      aria-disabled={disabled !== undefined || !isSettled}
      title={disabled}
      onClick={disabled === undefined ? click : undefined}
    >
      <Icon name={isOn === true ? 'check' : icon} />
      <span>{name}</span>
    </button>
  );
}

function close(anchor: HTMLElement): void {
  anchor.focus();
  closeMenu();
}

function handleKey(event: TargetedKeyboardEvent<HTMLElement>, anchor: HTMLElement): void {
  const { key, currentTarget } = event;
  if (key === 'Escape' || key === 'Tab') {
    // Tab then continues from the button.
    close(anchor);
    event.stopPropagation();
    if (key === 'Escape') event.preventDefault();
    return;
  }
  const entries = [...currentTarget.querySelectorAll<HTMLElement>('button')];
  const at = entries.findIndex((entry) => entry === document.activeElement);
  const next = {
    ArrowDown: (at + 1) % entries.length,
    ArrowUp: (at + entries.length - 1) % entries.length,
    Home: 0,
    End: entries.length - 1,
  }[key];
  if (next === undefined) return;
  event.preventDefault();
  entries[next]?.focus();
}
