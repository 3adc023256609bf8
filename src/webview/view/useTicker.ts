import { useEffect, useState } from 'preact/hooks';

/** Draws the component again four times a second, so that a countdown never skips a number. */
export function useTicker(active: boolean): void {
  const [, setTick] = useState(0);
  useEffect(() => {
    if (!active) return undefined;
    const timer = setInterval(() => setTick((tick) => tick + 1), 250);
    return () => clearInterval(timer);
  }, [active]);
}
