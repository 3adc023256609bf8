import { nameOf } from './layers.ts';

/** Seconds. Longer transitions are visible as motion. */
const shortest = 0.01;

/** Elements that move or scroll smoothly. */
export function moving(): readonly string[] {
  const all = [document.documentElement, document.body, ...document.querySelectorAll('#root *')];
  return all.flatMap((element) =>
    [undefined, '::before', '::after'].flatMap((part) => {
      const style = getComputedStyle(element, part);
      const isAnimated = style.animationName !== 'none' && isLong(style.animationDuration);
      const isSmooth = part === undefined && style.scrollBehavior !== 'auto';
      return isAnimated || isSmooth || isLong(style.transitionDuration) ? [nameOf(element)] : [];
    }),
  );
}

function isLong(durations: string): boolean {
  return durations.split(',').some((duration) => Number.parseFloat(duration) > shortest);
}
