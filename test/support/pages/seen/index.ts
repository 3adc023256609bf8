/** Runs in the pages: what of them can be seen. */
import { measure, isExempt, type Drawn } from './contrast.ts';
import { armStyles, force } from './force.ts';
import { isShown, nameOf } from './layers.ts';

export { labelWidths } from './labels.ts';
export { moving } from './motion.ts';
export { withoutRoom } from './room.ts';
export { markBackgrounds, vanished } from './vanishing.ts';

interface Look {
  readonly style: string;
  readonly className: string;
  readonly id: string;
}

interface NamedLook extends Look {
  readonly theme: string;
}

/** Something too faint, with the looks in which it is. */
export type Faint = readonly [name: string, contrast: string, looks: string];

/** What has too little contrast in any of the looks: as it is, and with pointer and focus on all. */
export function faintIn(looks: readonly NamedLook[]): { count: number; faint: readonly Faint[] } {
  armStyles();
  const faintByKey = new Map<string, { contrast: number; looks: Set<string> }>();
  let count = 0;
  for (const look of looks) {
    wear(look);
    for (const isForced of [false, true]) {
      force(isForced);
      const all = measure(isForced);
      count += all.length;
      for (const drawn of all)
        if (drawn.contrast < drawn.least) note(faintByKey, drawn, isForced, look);
    }
  }
  force(false);
  const faint = [...faintByKey].map(
    ([name, { contrast, looks: themes }]) =>
      [name, contrast.toFixed(2), [...themes].join(', ')] as const,
  );
  return { count, faint };
}

/** What has too little contrast as it is. */
export function faintNow(): readonly string[] {
  const faint = measure(false).filter(({ contrast, least }) => contrast < least);
  return [
    ...new Set(
      faint.map(({ what, name, contrast }) => `${what} of ${name} ${contrast.toFixed(2)}`),
    ),
  ];
}

/** Gives the page the colors of a theme. */
export function wear({ style, className, id }: Look): void {
  document.documentElement.style.cssText = style;
  document.body.className = className;
  document.body.dataset['vscodeThemeId'] = id;
}

function note(
  faintByKey: Map<string, { contrast: number; looks: Set<string> }>,
  { name, what, contrast }: Drawn,
  isForced: boolean,
  { theme }: NamedLook,
): void {
  const key = `${what} of ${name}${isForced && what !== 'focus' ? ' (hover or focus)' : ''}`;
  const known = faintByKey.get(key) ?? { contrast, looks: new Set() };
  known.looks.add(theme);
  faintByKey.set(key, { contrast: Math.min(contrast, known.contrast), looks: known.looks });
}

/** What is disabled, and may be faint. */
export function exempt(): readonly string[] {
  const all = [...document.querySelectorAll('#root button, #root input')];
  return [...new Set(all.filter((control) => isShown(control) && isExempt(control)).map(nameOf))];
}
