import * as l10n from '@vscode/l10n';
import { useStore } from '../parts/hooks.ts';
import { meterText } from './contextWords.ts';

/** Share of the context window that the next request uses. A click shows actions on the context. */
export function ContextMeter() {
  const store = useStore();
  const panel = store.panel.value;
  if (panel === undefined || panel.connection.kind === 'none') return null;
  const meter = meterText(panel.cost, store.draft.text.value.length);
  if (meter === undefined) return null;
  const { percent, words, description, isTight } = meter;
  return (
    <span class={isTight ? 'context-meter tight' : 'context-meter'}>
      <span
        role="meter"
        aria-label={l10n.t('Context')}
        aria-valuemin={0}
        aria-valuemax={100}
        aria-valuenow={percent}
        aria-valuetext={words}
      >
        <svg viewBox="0 0 16 16" width="16" height="16" aria-hidden="true">
          <circle cx="8" cy="8" r="6" />
          <circle
            class="used"
            cx="8"
            cy="8"
            r="6"
            pathLength="100"
            stroke-dasharray={`${percent} 100`}
          />
        </svg>
      </span>
      {/* Not around the meter: assistive technology reads only the text inside a button. */}
      <button
        type="button"
        class="icon-button"
        aria-label={l10n.t('Context…')}
        title={description}
        onClick={() => store.post('show-context', {})}
      />
    </span>
  );
}
