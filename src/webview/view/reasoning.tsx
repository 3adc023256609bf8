import * as l10n from '@vscode/l10n';
import { useState } from 'preact/hooks';
import type { ReasoningPart } from '../../core/conversation/conversation.ts';
import { formatDuration } from './formatDuration.ts';
import { Prose } from './prose.tsx';

interface Props {
  readonly part: ReasoningPart;
  /** Its place in the answer. */
  readonly index: number;
  readonly live: boolean;
}

/** What the model thought, folded; nothing of it is drawn until it is opened. */
export function Reasoning({ part, index, live }: Props) {
  const [open, setOpen] = useState(false);
  return (
    <details
      class="fold reasoning"
      data-place={index}
      aria-label={l10n.t('Reasoning')}
      onToggle={(event) => setOpen(event.currentTarget.open)}
    >
      <summary>{live ? l10n.t('Thinking…') : describe(part)}</summary>
      {open && <Prose text={part.text} index={index} live={live} />}
    </details>
  );
}

function describe({ startedAt, endedAt }: ReasoningPart): string {
  return endedAt === undefined
    ? l10n.t('Thought')
    : l10n.t('Thought for {0}', formatDuration(endedAt - startedAt));
}
