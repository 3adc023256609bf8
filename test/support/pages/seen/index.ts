/** Runs in the pages, and measures what a person can see of them. */
import { measure, isExempt, type DrawnItem } from './contrast.ts';
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

/** An item with too little contrast, and the themes in which that is the case. */
export type Faint = readonly [name: string, contrast: string, looks: string];

/** Items with too little contrast in any of the looks, without and with hover and focus everywhere. */
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
      for (const item of all)
        if (item.contrast < item.required) addFaint(faintByKey, item, isForced, look);
    }
  }
  force(false);
  const faint = [...faintByKey].map(
    ([name, { contrast, looks: themes }]) =>
      [name, contrast.toFixed(2), [...themes].join(', ')] as const,
  );
  return { count, faint };
}

/** Items with too little contrast at the moment. */
export function faintNow(): readonly string[] {
  const faint = measure(false).filter(({ contrast, required }) => contrast < required);
  return [
    ...new Set(
      faint.map(({ kind, name, contrast }) => `${kind} of ${name} ${contrast.toFixed(2)}`),
    ),
  ];
}

/** Applies a theme to the page. */
export function wear({ style, className, id }: Look): void {
  document.documentElement.style.cssText = style;
  document.body.className = className;
  document.body.dataset['vscodeThemeId'] = id;
}

function addFaint(
  faintByKey: Map<string, { contrast: number; looks: Set<string> }>,
  { name, kind, contrast }: DrawnItem,
  isForced: boolean,
  { theme }: NamedLook,
): void {
  const key = `${kind} of ${name}${isForced && kind !== 'focus' ? ' (hover or focus)' : ''}`;
  const entry = faintByKey.get(key) ?? { contrast, looks: new Set() };
  entry.looks.add(theme);
  faintByKey.set(key, { contrast: Math.min(contrast, entry.contrast), looks: entry.looks });
}

/** Names of disabled controls, which may have low contrast. */
export function exempt(): readonly string[] {
  const all = [...document.querySelectorAll('#root button, #root input')];
  return [...new Set(all.filter((control) => isShown(control) && isExempt(control)).map(nameOf))];
}
