import * as l10n from '@vscode/l10n';
import type { ToolCallPart } from '../../core/conversation/conversation.ts';
import { formatJson } from './formatJson.ts';
import { Icon } from './iconButton.tsx';

interface Props {
  readonly part: ToolCallPart;
  /** Its place in the answer. */
  readonly index: number;
}

/** A function that the model called, folded over the arguments it gave. */
export function ToolCall({ part, index }: Props) {
  return (
    <details
      class="fold tool-call"
      data-place={index}
      role="group"
      aria-label={l10n.t('Tool call: {0}', part.name)}
    >
      <summary>
        <Icon name="tools" />
        <span class="tool-name">{part.name}</span>
        <span class={`tool-outcome ${part.outcome}`}>{outcomeText(part.outcome)}</span>
      </summary>
      <pre class="tool-arguments">{formatJson(part.arguments) ?? part.arguments}</pre>
    </details>
  );
}

function outcomeText(outcome: ToolCallPart['outcome']): string {
  switch (outcome) {
    case 'done':
      return l10n.t('done');
    case 'failed':
      return l10n.t('failed');
    case 'denied':
      return l10n.t('not run');
    case 'stopped':
      return l10n.t('stopped');
  }
}
