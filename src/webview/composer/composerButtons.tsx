import * as l10n from '@vscode/l10n';
import { shortModelName } from '../../core/conversation/usage.ts';
import { background } from '../../core/support/background.ts';
import type { ModelState } from '../../protocol/messages.ts';
import { ChangeIconButton } from '../parts/changeButtons.tsx';
import { Icon, IconButton } from '../parts/controls.tsx';
import { useFocusHeir, useStore } from '../parts/hooks.ts';
import type { Store } from '../state/store.ts';
import { costText } from './costWords.ts';

export function ModelButton() {
  const store = useStore();
  const model = store.panel.value?.model;
  if (model === undefined) return null;
  const { id, fromWorkspace, missing } = model;
  return (
    <button
      type="button"
      class={missing ? 'model-button missing' : 'model-button'}
      aria-label={id === '' ? undefined : l10n.t('Model: {0}', id)}
      title={describe(model)}
      onClick={() => store.post('run', { command: 'selectModel' })}
    >
      {missing && <Icon name="warning" />}
      {fromWorkspace && <Icon name="root-folder" />}
      <span class="model-name">{id === '' ? l10n.t('Select Model…') : shortModelName(id)}</span>
      <Icon name="chevron-down" />
    </button>
  );
}

function describe({ id, fromWorkspace, missing }: ModelState): string {
  if (id === '') return l10n.t('Select the model to chat with.');
  return [
    id,
    ...(fromWorkspace ? [l10n.t('Set in the workspace settings.')] : []),
    ...(missing ? [l10n.t('The service no longer lists this model. Select another one.')] : []),
  ].join('\n');
}

export function SendButtons() {
  const store = useStore();
  const running = store.isRunning.value;
  return (
    <>
      {running && store.readOnly.value === undefined && <StopButton />}
      {(running || store.window.turns.value.length > 0) && <AskAsideButton />}
      <ChangeIconButton
        className="send"
        icon="send"
        name={l10n.t('Send')}
        title={sendTitle(store)}
        disabled={!canSend(store)}
        onClick={() => send(store)}
      />
    </>
  );
}

function sendTitle({ editedInQueue, runningId }: Store): string {
  if (editedInQueue.value !== undefined) return l10n.t('Update Queued Message (Enter)');
  return runningId.value === undefined ? l10n.t('Send (Enter)') : l10n.t('Add to Queue (Enter)');
}

function AskAsideButton() {
  const store = useStore();
  const { value: panel } = store.panel;
  if (panel === undefined) return null;
  const key = navigator.userAgent.includes('Mac') ? '⌥⌘Q' : 'Ctrl+Alt+Q';
  const cost = costText(panel.asideCost, {
    length: store.draft.text.value.length,
    language: document.documentElement.lang,
    withoutTools: panel.mode === 'chat',
    isFree: panel.connection.kind === 'demo',
  });
  return (
    <IconButton
      icon="comment-discussion"
      name={l10n.t('Ask Aside')}
      title={`${l10n.t('Ask about this chat without changing it ({0})', key)}\n${cost.description}`}
      disabled={!canAskAside(store)}
      onClick={() => sendAside(store)}
    />
  );
}

/** True if there is a draft of the next message, and no side chat without a reply. */
function canAskAside({ draft, editedInQueue, panel }: Store): boolean {
  const isRunning = panel.value?.aside?.isRunning === true;
  return draft.text.value.trim() !== '' && editedInQueue.value === undefined && !isRunning;
}

/** Sends the draft as a side chat, or asks for one in a box. */
export function sendAside(store: Store): void {
  if (canAskAside(store)) background(store.send(store.draft.text.value, 'ask-aside'));
  else store.post('run', { command: 'askAside' });
}

/** Send gets focus if the turn ends while Stop has it. */
function sendBeside({ parentElement }: HTMLElement): HTMLElement | null | undefined {
  return parentElement?.querySelector<HTMLElement>('.send');
}

function StopButton() {
  const store = useStore();
  const frame = useFocusHeir(sendBeside);
  return (
    <span ref={frame}>
      <IconButton
        className="stop"
        icon="debug-stop"
        name={l10n.t('Stop')}
        onClick={() => store.post('stop', {})}
      />
    </span>
  );
}

/** True if there is a draft, or queued messages that are held after a stopped turn. */
function canSend(store: Store): boolean {
  if (store.draft.text.value.trim() !== '') return true;
  if (store.editedInQueue.value !== undefined) return false;
  return !store.isRunning.value && (store.panel.value?.queued ?? []).length > 0;
}

export function send(store: Store): void {
  const reason = store.readOnly.value;
  if (reason !== undefined) store.refuse(reason);
  else if (canSend(store)) background(store.send(store.draft.text.value));
}

/** Ends editing a queued message without changing it. */
export function stopEditing(store: Store): void {
  if (store.editedInQueue.value !== undefined) store.post('stop-editing-queued', {});
}
