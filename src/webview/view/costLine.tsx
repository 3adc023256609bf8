import { Fragment } from 'preact';
import { Icon } from './iconButton.tsx';
import { costWords } from './costWords.ts';
import { useStore } from './storeContext.ts';

/** What it costs to send what is there now. The host says the rest; the draft is counted here. */
export function CostLine() {
  const store = useStore();
  const panel = store.panel.value;
  if (panel === undefined || panel.connection.kind === 'none') return null;
  const { lang } = document.documentElement;
  const { parts, title, isOver } = costWords(panel.cost, store.draft.text.value.length, lang);
  return (
    <span class={isOver ? 'cost over' : 'cost'} title={title}>
      {parts.map((part, index) => (
        <Fragment key={index}>
          {/* Where there is little room, a line ends between two parts. */}
          {index > 0 && ' · '}
          <span>
            {isOver && index === 0 && <Icon name="warning" />}
            {part}
          </span>
        </Fragment>
      ))}
    </span>
  );
}
