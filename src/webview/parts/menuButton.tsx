import * as l10n from '@vscode/l10n';
import type { TargetedMouseEvent } from 'preact';
import { Icon } from './controls.tsx';
import { toggleMenu, type OpenMenu } from './menu.ts';

interface MenuButtonProps {
  readonly menu: () => Omit<OpenMenu, 'anchor'>;
}

/** Opens a menu with less common actions. */
export function MenuButton({ menu }: MenuButtonProps) {
  const open = ({ currentTarget }: TargetedMouseEvent<HTMLButtonElement>): void =>
    toggleMenu({ ...menu(), anchor: currentTarget });
  return (
    <button
      type="button"
      class="icon-button"
      aria-label={l10n.t('More Actions…')}
      title={l10n.t('More Actions…')}
      aria-haspopup="menu"
      aria-expanded="false"
      onClick={open}
    >
      <Icon name="ellipsis" />
    </button>
  );
}
