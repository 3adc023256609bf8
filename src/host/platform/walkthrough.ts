import * as z from 'zod/mini';
import type { ConversationEvent } from '../../core/conversation/events.ts';
import { background } from '../../core/support/background.ts';
import { type Clock, systemClock } from '../../core/support/clock.ts';
import { type Disposable, disposeAll, type Event } from '../../core/support/event.ts';
import { commands, contextKeys } from '../contributions.ts';
import type { Memento } from './memento.ts';
import type { SettingValues } from './settingValues.ts';
import * as vscode from 'vscode';
import type { ChatChange } from '../../core/conversation/liveConversation.ts';
import type { ConnectionState } from '../../protocol/messages.ts';
import type { HostWindow } from './window.ts';

/** Completes steps of the walkthrough as the person takes them. */
export function followSteps(
  { context, settings }: HostWindow,
  state: Memento,
  connection: { readonly state: ConnectionState; readonly onDidChange: Event<ConnectionState> },
  chats: { readonly onDidChange: Event<{ readonly change: ChatChange }> },
): WalkthroughSteps {
  const steps = new WalkthroughSteps(state, systemClock, (key, value) =>
    background(vscode.commands.executeCommand('setContext', key, value)),
  );
  steps.noteConnection(connection.state);
  steps.noteSettings(settings.current());
  context.subscriptions.push(
    steps,
    connection.onDidChange((state) => steps.noteConnection(state)),
    settings.onDidChange(() => steps.noteSettings(settings.current())),
    // VS Code gives the walkthrough's tab no input.
    vscode.window.tabGroups.onDidChangeTabs(({ opened }) => {
      if (opened.some(({ input }) => input === undefined)) steps.noteOpened();
    }),
    chats.onDidChange(({ change }) => {
      if (change.type === 'event') steps.noteEvent(change.event);
    }),
  );
  return steps;
}

const stepKeys = [
  contextKeys.connected,
  contextKeys.modelSelected,
  contextKeys.askedAboutCode,
  contextKeys.editDecided,
  contextKeys.toolDecided,
  contextKeys.usageSeen,
] as const;
type StepKey = (typeof stepKeys)[number];

const stateKey = 'aside.stepsTaken';
const storedSteps = z.array(z.string());

/**
 * Delays in milliseconds after opening an editor that may be the walkthrough. VS Code takes a
 * moment to read the walkthrough, and never ticks a step whose condition is already true. Each
 * round is another condition, so one of them becomes true afterwards.
 */
const rounds = [500, 2000, 6000];

/** Sets the context keys that complete steps of the walkthrough. */
export class WalkthroughSteps implements Disposable {
  readonly #state: Memento;
  readonly #clock: Clock;
  readonly #setContext: (key: string, value: boolean | string) => void;
  readonly #reported = new Set<StepKey>();
  readonly #asking = new Set<string>();
  #rounds: readonly Disposable[] = [];

  /** @param state shared by all windows: the walkthrough may be opened in a later one */
  constructor(
    state: Memento,
    clock: Clock,
    setContext: (key: string, value: boolean | string) => void,
  ) {
    this.#state = state;
    this.#clock = clock;
    this.#setContext = setContext;
    const { data: before = [] } = storedSteps.safeParse(state.get(stateKey));
    for (const key of stepKeys.filter((step) => before.includes(step))) this.#tell(key);
  }

  /** Completes earlier steps again, after opening an editor that may be the walkthrough. */
  noteOpened(): void {
    disposeAll(this.#rounds);
    this.#rounds = rounds.map((delay, round) =>
      this.#clock.after(delay, () =>
        this.#setContext(contextKeys.walkthroughRound, String(round + 1)),
      ),
    );
  }

  noteConnection({ kind }: { readonly kind: 'none' | 'demo' | 'service' }): void {
    if (kind !== 'none') this.#note(contextKeys.connected);
  }

  noteSettings({ model, budget }: Pick<SettingValues, 'model' | 'budget'>): void {
    if (model !== '') this.#note(contextKeys.modelSelected);
    if (budget === 'invalid') return;
    const limits = [budget.chat, budget.day, budget.month];
    if (limits.some((limit) => limit !== undefined)) this.#note(contextKeys.usageSeen);
  }

  /** @param id the command that the person runs */
  noteCommand(id: string): void {
    if (id === commands.acceptEdit || id === commands.rejectEdit)
      this.#note(contextKeys.editDecided);
    if (id === commands.showUsage) this.#note(contextKeys.usageSeen);
  }

  dispose(): void {
    disposeAll(this.#rounds);
  }

  noteEvent(event: ConversationEvent): void {
    if (event.type === 'turn-start') {
      const hasCode = event.question.attachments.some(({ text }) => text !== '');
      if (hasCode) this.#note(contextKeys.askedAboutCode);
    } else if (event.type === 'tool-call-ask') this.#asking.add(event.id);
    else if (event.type === 'tool-call-run' || event.type === 'tool-call-result') {
      const wasAsking = this.#asking.delete(event.id);
      // A call that was stopped or failed while waiting was not decided.
      const wasDecided = event.type === 'tool-call-run' || event.outcome === 'denied';
      if (wasAsking && wasDecided) this.#note(contextKeys.toolDecided);
    }
  }

  #note(key: StepKey): void {
    if (this.#reported.has(key)) return;
    this.#tell(key);
    background(this.#state.update(stateKey, [...this.#reported]));
  }

  #tell(key: StepKey): void {
    this.#reported.add(key);
    this.#setContext(key, true);
  }
}
