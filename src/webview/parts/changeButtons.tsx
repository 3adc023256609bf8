/** Buttons that change the chat. If another window writes it, they are disabled and explain why. */
import type { ComponentChildren, TargetedMouseEvent } from 'preact';
import { IconButton, type IconButtonProps } from './controls.tsx';
import { useDeliberatePress } from './deliberatePress.ts';
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
  /** True if it allows, accepts or starts something, so that only deliberate presses count. */
  readonly isDeliberate?: boolean;
  readonly onClick: (event: TargetedMouseEvent<HTMLButtonElement>) => void;
  readonly children: ComponentChildren;
}

export function ChangeButton(props: ChangeButtonProps) {
  const { title, isSecondary = false, disabled = false, children } = props;
  const { isDeliberate = false, onClick } = props;
  const reason = useStore().readOnly.value;
  const { ref, isSettled, click } = useDeliberatePress(children, isDeliberate, onClick);
  return (
    <button
      ref={ref}
      type="button"
      class={isSecondary ? 'button secondary' : 'button'}
      title={reason ?? title}
      disabled={disabled || reason !== undefined}
      aria-disabled={isSettled ? undefined : true}
      onClick={click}
    >
      {children}
    </button>
  );
}
