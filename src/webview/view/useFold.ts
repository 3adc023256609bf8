import type { TargetedToggleEvent } from 'preact';
import { useLayoutEffect, useState } from 'preact/hooks';

interface Fold {
  readonly open: boolean;
  readonly choose: (open: boolean) => void;
  /** For the `details` element, which opens and closes without being asked. */
  readonly onToggle: (event: TargetedToggleEvent<HTMLDetailsElement>) => void;
}

/**
 * A fold that opens and closes by itself until the person opens or closes it.
 *
 * @param byItself whether it is open while nobody touched it
 * @param urgent whether there is something to decide in it: it opens even where it was closed before
 * @param opened hears that it was opened, by the person or by what is looked for in the chat
 */
export function useFold(byItself: boolean, urgent: boolean, opened?: () => void): Fold {
  const [chosen, choose] = useState<boolean | undefined>(undefined);
  useLayoutEffect(() => {
    if (urgent) choose(undefined);
  }, [urgent]);
  const open = chosen ?? byItself;
  const onToggle: Fold['onToggle'] = ({ currentTarget }) => {
    if (currentTarget.open === open) return;
    choose(currentTarget.open);
    if (currentTarget.open) opened?.();
  };
  return { open, choose, onToggle };
}
