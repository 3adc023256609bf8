import * as l10n from '@vscode/l10n';
import type { ToolCallPart } from '../../core/conversation/conversation.ts';
import { isEnded } from '../../core/conversation/reduceCalls.ts';
import { Icon } from './iconButton.tsx';
import { ToolArguments } from './toolArguments.tsx';
import { ToolGrant, grantWords } from './toolGrant.tsx';
import { iconOfTool } from './toolIcons.ts';
import { ToolOutput } from './toolOutput.tsx';
import { ToolQuestionView } from './toolQuestion.tsx';
import { ToolResult } from './toolResult.tsx';
import { CallTime, ToolState } from './toolState.tsx';
import { toolTitle } from './toolTitle.ts';
import { useFold } from './useFold.ts';

interface Props {
  /** Identifier of the turn. */
  readonly turn: string;
  readonly part: ToolCallPart;
  /** Its place in the answer. */
  readonly index: number;
  /** Hears that it was opened, and not by itself. */
  readonly opened?: (() => void) | undefined;
}

/** A function that the model called: one line, folded over what was asked and what came of it. */
export function ToolCall({ turn, part, index, opened }: Props) {
  const { status, output = '' } = part;
  const asks = status === 'asking';
  const prints = status === 'running' && output !== '';
  const { open, onToggle } = useFold(asks || prints || status === 'failed', asks, opened);
  return (
    <details
      class={`fold tool-call ${status}`}
      data-place={index}
      role="group"
      aria-label={l10n.t('Tool call: {0}', part.name)}
      open={open}
      onToggle={onToggle}
    >
      <Line part={part} />
      {open && <Body turn={turn} part={part} />}
    </details>
  );
}

/** Titles and names are data: they become text, and nothing else. */
function Line({ part }: { readonly part: ToolCallPart }) {
  const title = toolTitle(part);
  return (
    <summary>
      <Icon name={iconOfTool(part.name)} />
      <span class="tool-title" title={title}>
        {title}
      </span>
      {part.grant !== undefined && (
        <span
          class="tool-granted codicon codicon-shield"
          role="img"
          aria-label={grantWords(part.grant)}
          title={grantWords(part.grant)}
        />
      )}
      <ToolState status={part.status} />
      <CallTime calls={[part]} />
    </summary>
  );
}

function Body({ turn, part }: { readonly turn: string; readonly part: ToolCallPart }) {
  const { question, grant, output = '', result, status } = part;
  const told = isEnded(part) ? result : undefined;
  return (
    <div class="tool-body">
      {question !== undefined && (
        <ToolQuestionView turn={turn} call={part.id} question={question} />
      )}
      {grant !== undefined && <ToolGrant grant={grant} />}
      <ToolArguments part={part} />
      {told === undefined && output !== '' && <ToolOutput text={output} />}
      {told !== undefined && <ToolResult text={told} failed={status === 'failed'} />}
    </div>
  );
}
