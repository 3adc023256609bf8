import * as l10n from '@vscode/l10n';
import { useLayoutEffect, useRef } from 'preact/hooks';
import type { ToolCallPart } from '../../core/conversation/conversation.ts';
import { isCallEnded } from '../../core/conversation/reduce.ts';
import { revealInvisible } from '../../core/support/text.ts';
import { ChangeButton } from '../parts/changeButtons.tsx';
import { Icon } from '../parts/controls.tsx';
import { LongText } from '../parts/cutText.tsx';
import { formatJson } from '../parts/format.ts';
import { useFold, useStore, useTicker } from '../parts/hooks.ts';
import { ApprovalRequestView } from './approvalRequestView.tsx';
import { CallTime, ToolState } from './toolState.tsx';
import { toolIcon, toolSummary, toolTitle } from './toolSummary.ts';

interface Props {
  readonly turn: string;
  /** Calls of one model response, oldest first. */
  readonly calls: readonly ToolCallPart[];
  readonly index: number;
}

/** Fewer calls are listed individually: their titles say more than a summary. */
const minCallsToFold = 5;

/** Milliseconds after which running calls are listed individually; most reads take less. */
const patience = 500;

/** The calls of one model response, in a fold if there are many. */
export function ToolCalls({ turn, calls, index }: Props) {
  return (
    <div class="tool-calls">
      {calls.length < minCallsToFold ? (
        <CallList turn={turn} calls={calls} index={index} />
      ) : (
        <CallGroup turn={turn} calls={calls} index={index} />
      )}
    </div>
  );
}

function CallList({ turn, calls, index, opened }: Props & { readonly opened?: () => void }) {
  return (
    <>
      {calls.map((call, at) => (
        <ToolCallView key={call.id} turn={turn} part={call} index={index + at} opened={opened} />
      ))}
    </>
  );
}

function CallGroup({ turn, calls, index }: Props) {
  const store = useStore();
  const words = toolSummary(calls, document.documentElement.lang);
  const starts = calls.flatMap((call) => (isCallEnded(call) ? [] : (call.startedAt ?? [])));
  useTicker(starts.length > 0);
  // The title of a running call that takes so long should be visible.
  const isLong = starts.some((start) => store.clock.now() - start >= patience);
  const asks = calls.some(({ status }) => status === 'asking');
  const fails = calls.some(({ status }) => status === 'failed');
  const { open, choose, onToggle } = useFold(asks || fails || isLong, asks);
  const finding = store.find.open.value > 0;
  // A card that opens inside a closed group contains a match of Find.
  const list = { turn, calls, index, opened: () => choose(true) };
  return (
    <details class="fold" open={open} onToggle={onToggle}>
      <summary>
        <Icon name={toolIcon(calls)} />
        <span class="tool-title" title={words}>
          {words}
        </span>
        <GroupState calls={calls} />
        <CallTime calls={calls} />
      </summary>
      <div class="tool-list">{(open || finding) && <CallList {...list} />}</div>
    </details>
  );
}

function GroupState({ calls }: { readonly calls: readonly ToolCallPart[] }) {
  const count = (status: ToolCallPart['status']): number =>
    calls.filter((call) => call.status === status).length;
  const failed = count('failed');
  if (failed > 0) return <span class="tool-state failed">{l10n.t('{0} failed', failed)}</span>;
  const order = ['asking', 'running', 'waiting', 'denied', 'stopped', 'done'] as const;
  const status = order.find((candidate) => count(candidate) > 0);
  if (status === undefined) return null;
  const hasResult = calls.some((call) => call.status === status && call.result !== undefined);
  return <ToolState status={status} hasResult={hasResult} />;
}

interface ToolCallProps {
  readonly turn: string;
  readonly part: ToolCallPart;
  readonly index: number;
  /** Called when it is opened for another reason than its status. */
  readonly opened?: (() => void) | undefined;
}

/** A tool call: a title, which unfolds to its arguments and result. */
function ToolCallView({ turn, part, index, opened }: ToolCallProps) {
  const { status, output = '' } = part;
  const asks = status === 'asking';
  const prints = status === 'running' && output !== '';
  const leaves = part.leftRunning !== undefined;
  const isOpen = asks || prints || leaves || status === 'failed';
  const { open, onToggle } = useFold(isOpen, asks, opened);
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

/** Titles and names come from outside and are rendered as text only. */
function Line({ part }: { readonly part: ToolCallPart }) {
  const title = toolTitle(part);
  return (
    <summary>
      <Icon name={toolIcon([part])} />
      <span class="tool-title" title={title}>
        {title}
      </span>
      {part.grant !== undefined && (
        <span
          class="tool-granted"
          role="img"
          aria-label={grantText(part.grant)}
          title={grantText(part.grant)}
        >
          <Icon name="shield" />
        </span>
      )}
      <ToolState status={part.status} hasResult={part.result !== undefined} />
      {part.denialReason !== undefined && (
        <span class="tool-denial" title={part.denialReason}>
          {l10n.t('Reason: {0}', part.denialReason)}
        </span>
      )}
      <CallTime calls={[part]} />
    </summary>
  );
}

function Body({ turn, part }: { readonly turn: string; readonly part: ToolCallPart }) {
  const { question: request, grant, output = '', result, status } = part;
  const finalResult = isCallEnded(part) ? result : undefined;
  const failed = status === 'failed';
  return (
    <div class="tool-body">
      {request !== undefined && (
        <ApprovalRequestView turn={turn} call={part.id} question={request} />
      )}
      {grant !== undefined && <ToolGrant grant={grant} />}
      <ToolArguments part={part} />
      {finalResult === undefined && output !== '' && <ToolOutput text={output} />}
      {finalResult === '' && <div class="tool-note">{l10n.t('No output.')}</div>}
      {finalResult !== undefined && finalResult !== '' && (
        <LongText
          text={finalResult}
          name={failed ? l10n.t('Error') : l10n.t('Result')}
          failed={failed}
        />
      )}
      <LeftRunning turn={turn} part={part} />
    </div>
  );
}

/** What the command of a call left running, with a button that ends it. */
function LeftRunning({ turn, part }: { readonly turn: string; readonly part: ToolCallPart }) {
  const store = useStore();
  const { leftRunning = [] } = part;
  if (leftRunning.length === 0) return null;
  const names = leftRunning.map(({ id, name }) => `${revealInvisible(name).text} (${id})`);
  return (
    <div class="tool-question">
      <div class="tool-note">{l10n.t('Left running: {0}', names.join(', '))}</div>
      <div class="button-row">
        <ChangeButton
          isSecondary
          isDeliberate
          disabled={store.readOnly.value !== undefined}
          onClick={() => store.post('end-processes', { turn, call: part.id })}
        >
          {l10n.t('End Processes')}
        </ChangeButton>
      </div>
    </div>
  );
}

/** The arguments of a call, folded, but open while Find is open. */
function ToolArguments({ part }: { readonly part: ToolCallPart }) {
  const store = useStore();
  const { open, onToggle } = useFold(store.find.open.value > 0, false);
  return (
    <details class="fold tool-arguments" open={open} onToggle={onToggle}>
      <summary>{l10n.t('Arguments for {0}', part.name)}</summary>
      {open && (
        <LongText
          text={revealInvisible(formatJson(part.arguments) ?? part.arguments).text}
          name={l10n.t('Arguments')}
        />
      )}
    </details>
  );
}

/** Pixels from the end that count as the end, since some zoom levels round pixels. */
const slack = 4;

/** The output of a running call. It stays scrolled to the end unless the person scrolls up. */
function ToolOutput({ text }: { readonly text: string }) {
  const box = useRef<HTMLPreElement>(null);
  const atEnd = useRef(true);
  useLayoutEffect(() => {
    const { current } = box;
    if (current !== null && atEnd.current) current.scrollTop = current.scrollHeight;
  }, [text]);
  return (
    <pre
      ref={box}
      class="tool-text tool-output"
      role="group"
      aria-label={l10n.t('Output')}
      tabIndex={0}
      onScroll={({ currentTarget: { scrollTop, scrollHeight, clientHeight } }) => {
        atEnd.current = scrollHeight - clientHeight - scrollTop <= slack;
      }}
    >
      {text}
    </pre>
  );
}

/** The grant that allowed a call without approval, and a link to revoke it. */
function ToolGrant({ grant }: { readonly grant: string }) {
  const store = useStore();
  return (
    <div class="tool-note">
      <Icon name="shield" />
      <span class="tool-words">{grantText(grant)}</span>
      <button
        type="button"
        class="link"
        onClick={() => store.post('run', { command: 'manageTools' })}
      >
        {l10n.t('Revoke…')}
      </button>
    </div>
  );
}

function grantText(grant: string): string {
  return l10n.t('Allowed: {0}', grant);
}
