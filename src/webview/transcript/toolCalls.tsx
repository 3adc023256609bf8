import * as l10n from '@vscode/l10n';
import { useLayoutEffect, useRef } from 'preact/hooks';
import type { ToolCallPart, ToolCallStatus } from '../../core/conversation/conversation.ts';
import { changeInOutput } from '../../core/support/changedLines.ts';
import { questionOf } from '../../core/conversation/question.ts';
import { isCallEnded } from '../../core/conversation/reduce.ts';
import { counted } from '../../core/support/counted.ts';
import { isObject, parseJson } from '../../core/support/json.ts';
import { oneLine, revealInvisible } from '../../core/support/text.ts';
import { ChangeButton, CommandButton, Icon } from '../parts/controls.tsx';
import { ChangeLines } from '../parts/changeLines.tsx';
import { LongText } from '../parts/cutText.tsx';
import { formatDuration, formatJson } from '../parts/format.ts';
import { useFold, useStore, useTicker } from '../parts/hooks.ts';
import { ApprovalRequestView } from './approvalRequestView.tsx';
import { QuestionView } from './questionView.tsx';

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
export function ToolCalls(props: Props) {
  const isMany = props.calls.length >= minCallsToFold;
  return (
    <div class="tool-calls">{isMany ? <CallGroup {...props} /> : <CallList {...props} />}</div>
  );
}

function CallList({ turn, calls, index, opened }: Props & { readonly opened?: () => void }) {
  return (
    <>
      {calls.map((call, at) => {
        const question = questionOf(call);
        return question === undefined ? (
          <ToolCallView key={call.id} turn={turn} part={call} index={index + at} opened={opened} />
        ) : (
          <QuestionView
            key={call.id}
            turn={turn}
            part={call}
            question={question}
            index={index + at}
          />
        );
      })}
    </>
  );
}

function CallGroup(props: Props) {
  const { calls } = props;
  const store = useStore();
  const words = toolSummary(calls, document.documentElement.lang);
  const starts = calls.flatMap((call) => (isCallEnded(call) ? [] : (call.startedAt ?? [])));
  useTicker(starts.length > 0);
  // The title of a running call that takes so long should be visible.
  const isLong = starts.some((start) => store.clock.now() - start >= patience);
  const order = ['asking', 'running', 'waiting', 'denied', 'stopped', 'done'] as const;
  const status = order.find((candidate) => calls.some((call) => call.status === candidate));
  const asks = status === 'asking';
  const failed = calls.filter((call) => call.status === 'failed').length;
  const { open, choose, onToggle } = useFold(asks || failed > 0 || isLong, asks);
  const finding = store.find.open.value > 0;
  return (
    <details class="fold" open={open} onToggle={onToggle}>
      <summary>
        <Icon name={toolIcon(calls)} />
        <span class="tool-title" title={words}>
          {words}
        </span>
        {failed > 0 && <span class="tool-state failed">{l10n.t('{0} failed', failed)}</span>}
        {failed === 0 && status !== undefined && (
          <ToolState
            status={status}
            hasResult={calls.some((call) => call.status === status && call.result !== undefined)}
          />
        )}
        <CallTime calls={calls} />
      </summary>
      <div class="tool-list">
        {/* A card that opens inside a closed group contains a match of Find. */}
        {(open || finding) && <CallList {...props} opened={() => choose(true)} />}
      </div>
    </details>
  );
}

interface ToolCallProps {
  readonly turn: string;
  readonly part: ToolCallPart;
  readonly index: number;
  /** Called when it is opened for another reason than its status. */
  readonly opened?: (() => void) | undefined;
}

/**
 * A tool call: a title, which unfolds to its arguments and result. Titles and names come from
 * outside and are rendered as text only.
 */
function ToolCallView({ turn, part, index, opened }: ToolCallProps) {
  const { status, grant, denialReason, question: request, output = '' } = part;
  const asks = status === 'asking';
  const failed = status === 'failed';
  const prints = status === 'running' && output !== '';
  const isOpen = asks || failed || prints || part.leftRunning !== undefined;
  const { open, onToggle } = useFold(isOpen, asks, opened);
  const title = toolTitle(part);
  const result = isCallEnded(part) ? part.result : undefined;
  const change = open ? changeInOutput(output) : undefined;
  return (
    <details
      class={`fold tool-call ${status}`}
      data-place={index}
      role="group"
      aria-label={l10n.t('Tool call: {0}', part.name)}
      open={open}
      onToggle={onToggle}
    >
      <summary>
        <Icon name={toolIcon([part])} />
        <span class="tool-title" title={title}>
          {title}
        </span>
        {grant !== undefined && (
          <span
            class="tool-granted"
            role="img"
            aria-label={grantText(grant)}
            title={grantText(grant)}
          >
            <Icon name="shield" />
          </span>
        )}
        <ToolState status={status} hasResult={part.result !== undefined} />
        {denialReason !== undefined && (
          <span class="tool-denial" title={denialReason}>
            {l10n.t('Reason: {0}', denialReason)}
          </span>
        )}
        <CallTime calls={[part]} />
      </summary>
      {open && (
        <div class="tool-body">
          {request !== undefined && (
            <ApprovalRequestView turn={turn} call={part.id} question={request} />
          )}
          {grant !== undefined && <ToolGrant grant={grant} />}
          {change !== undefined && <ChangeLines change={change} />}
          <ToolArguments part={part} />
          {result === undefined && change === undefined && output !== '' && (
            <ToolOutput text={output} />
          )}
          {result === '' && <div class="tool-note">{l10n.t('No output.')}</div>}
          {result !== undefined && result !== '' && (
            <LongText
              text={result}
              name={failed ? l10n.t('Error') : l10n.t('Result')}
              failed={failed}
            />
          )}
          <LeftRunning turn={turn} part={part} />
        </div>
      )}
    </details>
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
  return (
    <div class="tool-note">
      <Icon name="shield" />
      <span class="tool-words">{grantText(grant)}</span>
      <CommandButton command="manageTools" look="link">
        {l10n.t('Revoke…')}
      </CommandButton>
    </div>
  );
}

function grantText(grant: string): string {
  return l10n.t('Allowed: {0}', grant);
}

/** Icons of statuses; the text is the accessible name. */
const signs: Partial<Record<ToolCallStatus, string>> = {
  asking: 'question',
  running: 'loading codicon-modifier-spin',
  done: 'check',
};

interface ToolStateProps {
  readonly status: ToolCallStatus;
  /** False for a call that was never decided on: its reply was incomplete. */
  readonly hasResult: boolean;
}

function ToolState({ status, hasResult }: ToolStateProps) {
  const texts: Readonly<Record<ToolCallStatus, string>> = {
    waiting: l10n.t('Waiting'),
    asking: l10n.t('Needs approval'),
    running: l10n.t('Running'),
    done: l10n.t('Done'),
    failed: l10n.t('Failed'),
    denied: hasResult ? l10n.t('Denied') : l10n.t('Not run'),
    stopped: l10n.t('Stopped'),
  };
  const text = texts[status];
  const sign = signs[status];
  return sign === undefined ? (
    <span key="words" class={`tool-state ${status}`}>
      {text}
    </span>
  ) : (
    <span key="sign" class={`tool-state ${status}`} role="img" aria-label={text} title={text}>
      <Icon name={sign} />
    </span>
  );
}

/** Minimum duration to show, in milliseconds. */
const minShownDuration = 1000;

/**
 * The time in which at least one of the calls ran, without approvals in between, updated while one
 * is running.
 */
function CallTime({ calls }: { readonly calls: readonly ToolCallPart[] }) {
  const store = useStore();
  const runs = calls.some(({ status }) => status === 'running');
  useTicker(runs);
  if (!runs && !calls.every(isCallEnded)) return null;
  const now = store.clock.now();
  const spans = calls
    .filter(({ startedAt, status }) => startedAt !== undefined && status !== 'asking')
    .map(({ startedAt = 0, endedAt = now }) => ({ startedAt, endedAt }))
    .toSorted((first, second) => first.startedAt - second.startedAt);
  let time = 0;
  let until = 0;
  for (const { startedAt, endedAt } of spans) {
    time += Math.max(0, endedAt - Math.max(startedAt, until));
    until = Math.max(until, endedAt);
  }
  if (time < minShownDuration) return null;
  return (
    <span class="tool-time" aria-hidden={runs}>
      {runs ? l10n.t('{0} s', Math.floor(time / 1000)) : formatDuration(time)}
    </span>
  );
}

/**
 * Several calls in one line: `Read 5 files · 2 searches`. A single call of a kind has its title.
 */
export function toolSummary(calls: readonly ToolCallPart[], language = ''): string {
  const kinds = new Map<string, ToolCallPart[]>();
  for (const call of calls) {
    const kind = call.summary?.many ?? `other: ${call.name}`;
    kinds.set(kind, [...(kinds.get(kind) ?? []), call]);
  }
  const texts = [...kinds.values()].map((members) => {
    const [first] = members;
    if (first === undefined) return '';
    const { name, summary } = first;
    const { length: count } = members;
    if (count === 1) return toolTitle(first);
    if (summary === undefined)
      return counted(l10n.t('{0} ({1} times)'), count, language, name, count);
    const { many, distinct } = summary;
    if (distinct === undefined) return counted(many, count, language);
    // The counted argument of each call; a call without it counts for itself.
    const values = members.map((call) => {
      const args = parseJson(call.arguments);
      const value = isObject(args) ? args[distinct.argument] : undefined;
      return typeof value === 'string' ? value : call;
    });
    const things = new Set(values).size;
    return things === 1 ? distinct.one : counted(many, things, language);
  });
  return texts.join(' · ');
}

/** One line about a call; the tool's name if its arguments could not be parsed. */
export function toolTitle({ name, title = name }: ToolCallPart): string {
  return oneLine(title, Infinity);
}

/** The codicon of calls of one tool, or of tools in general. */
function toolIcon(calls: readonly ToolCallPart[]): string {
  const icons = new Set(calls.map(({ icon }) => icon));
  const [icon = 'tools'] = icons;
  return icons.size === 1 ? icon : 'tools';
}
