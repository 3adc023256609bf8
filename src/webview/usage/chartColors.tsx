import type { JSX } from 'preact';

/** Line patterns for each color, visible in high contrast themes. */
const hatches = ['', 'M0 8L8 0', 'M0 0L8 8', 'M0 4H8', 'M4 0V8', 'M0 4H8M4 0V8'];

/** The most muted color. */
export const lastChartColor = hatches.length - 1;

/** Fill for a color, counted from 0; needs {@link ChartPatterns} in the page. */
export function chartFill(color: number): string {
  return `url(#usage-part-${color})`;
}

/** Definitions of the chart's patterns; a page needs them once. */
export function ChartPatterns(): JSX.Element {
  return (
    <svg class="usage-patterns" width="0" height="0" aria-hidden="true">
      <defs>
        {hatches.map((hatch, part) => (
          <pattern
            key={part}
            id={`usage-part-${part}`}
            width="8"
            height="8"
            patternUnits="userSpaceOnUse"
          >
            <rect class={`usage-color-${part}`} width="8" height="8" />
            <path class="usage-hatch" d={hatch} />
          </pattern>
        ))}
      </defs>
    </svg>
  );
}

/** A sample of a color, for the label beside it. */
export function ChartSample({ color }: { readonly color: number }): JSX.Element {
  return (
    <svg class="usage-sample" width="12" height="12" aria-hidden="true">
      <rect width="12" height="12" fill={chartFill(color)} />
    </svg>
  );
}
