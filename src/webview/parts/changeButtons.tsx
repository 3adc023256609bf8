/** Buttons that change the chat. If another window writes it, they are disabled and explain why. */
import type { ComponentChildren, TargetedMouseEvent } from 'preact';
import { IconButton, type IconButtonProps } from './controls.tsx';
import { useStore } from './hooks.ts';

export function ChangeIconButton({ disabled = false, title, ...props }: IconButtonProps) {
  const reason = useStore().readOnly.value;
  const shownTitle = reason ?? title;
  return (
    <IconButton
      {...props}
      {...(shownTitle === undefined ? {} : { title: shownTitle })}
      disabled={disabled || reason !== undefined}
    />
  );
}

interface ChangeButtonProps {
  readonly title?: string | undefined;
  readonly isSecondary?: boolean;
  readonly disabled?: boolean;
  readonly onClick: (event: TargetedMouseEvent<HTMLButtonElement>) => void;
  readonly children: ComponentChildren;
}

export function ChangeButton(props: ChangeButtonProps) {
  const { title, isSecondary = false, disabled = false, onClick, children } = props;
  const reason = useStore().readOnly.value;
  return (
    <button
      type="button"
      class={isSecondary ? 'button secondary' : 'button'}
      title={reason ?? title}
      disabled={disabled || reason !== undefined}
      onClick={onClick}
    >
      {children}
    </button>
  );
}
