import { createContext, type TargetedToggleEvent } from 'preact';
import { useContext, useEffect, useLayoutEffect, useState } from 'preact/hooks';
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
  /** Handler for the `details` element, which toggles itself. */
  readonly onToggle: (event: TargetedToggleEvent<HTMLDetailsElement>) => void;
}

/**
 * A fold with a default state that the person's choice overrides.
 *
 * @param byDefault true if it is open until the person toggles it
 * @param urgent true if it contains a pending approval, which opens it even if it was closed before
 * @param onOpen called when it opens, by the person or by Find
 */
export function useFold(byDefault: boolean, urgent: boolean, onOpen?: () => void): Fold {
  const [chosen, choose] = useState<boolean | undefined>(undefined);
  useLayoutEffect(() => {
    if (urgent) choose(undefined);
  }, [urgent]);
  const open = chosen ?? byDefault;
  const onToggle: Fold['onToggle'] = ({ currentTarget }) => {
    if (currentTarget.open === open) return;
    choose(currentTarget.open);
    if (currentTarget.open) onOpen?.();
  };
  return { open, choose, onToggle };
}

/** Re-renders the component four times a second, so that a countdown never skips a number. */
export function useTicker(active: boolean): void {
  const [, setTick] = useState(0);
  useEffect(() => {
    if (!active) return undefined;
    const timer = setInterval(() => setTick((tick) => tick + 1), 250);
    return () => clearInterval(timer);
  }, [active]);
}
