import * as l10n from '@vscode/l10n';
import type { ToolCallPart } from '../../core/conversation/conversation.ts';
import { isCallEnded } from '../../core/conversation/reduceCalls.ts';
import { Icon } from '../parts/controls.tsx';
import { useStore, useFold, useTicker } from '../parts/hooks.ts';
import { ToolCallView } from './toolCallView.tsx';
import { CallTime, ToolState } from './toolState.tsx';
import { toolIcon, toolSummary } from './toolSummary.ts';

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
  const isLong = useIsLong(calls);
  const asks = calls.some(({ status }) => status === 'asking');
  const fails = calls.some(({ status }) => status === 'failed');
  const { open, choose, onToggle } = useFold(asks || fails || isLong, asks);
  const finding = store.find.open.value > 0;
  // A card that opens inside a closed group contains a match of Find.
  const list = { turn, calls, index, opened: () => choose(true) };
  return (
    <details class="fold" open={open} onToggle={onToggle}>
      <GroupLine calls={calls} />
      <div class="tool-list">{(open || finding) && <CallList {...list} />}</div>
    </details>
  );
}

/** True if a running call takes so long that its title should be visible. */
function useIsLong(calls: readonly ToolCallPart[]): boolean {
  const store = useStore();
  const starts = calls.flatMap((call) => (isCallEnded(call) ? [] : (call.startedAt ?? [])));
  useTicker(starts.length > 0);
  return starts.some((start) => store.clock.now() - start >= patience);
}

function GroupLine({ calls }: { readonly calls: readonly ToolCallPart[] }) {
  const words = toolSummary(calls, document.documentElement.lang);
  return (
    <summary>
      <Icon name={toolIcon(calls)} />
      <span class="tool-title" title={words}>
        {words}
      </span>
      <GroupState calls={calls} />
      <CallTime calls={calls} />
    </summary>
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
