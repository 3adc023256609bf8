import { createContext, type TargetedToggleEvent } from 'preact';
import { useContext, useLayoutEffect, useState, useEffect } from 'preact/hooks';
import type { Store } from '../state/store.ts';

export const StoreContext = createContext<Store | undefined>(undefined);

export function useStore(): Store {
  const store = useContext(StoreContext);
  if (store === undefined) throw new Error('There is no store around this component.');
  return store;
}

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

/** Draws the component again four times a second, so that a countdown never skips a number. */
export function useTicker(active: boolean): void {
  const [, setTick] = useState(0);
  useEffect(() => {
    if (!active) return undefined;
    const timer = setInterval(() => setTick((tick) => tick + 1), 250);
    return () => clearInterval(timer);
  }, [active]);
}
