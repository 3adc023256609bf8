import {
  comparedTurns,
  conversationOf,
  defaultChoice,
  shownTurn,
} from '../conversation/comparison.ts';
import {
  runningTurn,
  type Attachment,
  type FileRestore,
  type Turn,
  type UserMessage,
} from '../conversation/conversation.ts';
import type { LiveConversation } from '../conversation/liveConversation.ts';
import { comparedTurnStart, turnStart } from './nextTurn.ts';
import type { RequestPlanner } from './requestPlanner.ts';
import { TurnRunner, type TurnRunnerOptions } from './turnRunner.ts';

export interface ResendOptions {
  readonly text?: string;
  readonly attachments?: readonly Attachment[] | undefined;
  readonly model?: string;
  readonly withoutTools?: boolean;
  /** Files that were restored before the message is sent again. */
  readonly fileRestore?: FileRestore | undefined;
  readonly onStart?: () => void;
}

export interface ChatTurnsOptions extends TurnRunnerOptions {
  /**
   * Called when a model that refused a request with tools replied to the same request without them.
   */
  readonly onToolsRefused: (model: string) => void;
}

/**
 * The turns of a chat that run in this window: several while replies are compared. The caller makes
 * sure that no other work on the chat runs when a turn starts.
 */
export class ChatTurns {
  readonly #conversation: LiveConversation;
  readonly #planner: RequestPlanner;
  readonly #options: ChatTurnsOptions;
  readonly #runners = new Map<string, TurnRunner>();
  #isClosed = false;

  constructor(conversation: LiveConversation, planner: RequestPlanner, options: ChatTurnsOptions) {
    this.#conversation = conversation;
    this.#planner = planner;
    this.#options = options;
  }

  /** Starts the turn of a message. Resolves when it has ended. */
  async start(message: UserMessage, model: string, change: ResendOptions = {}): Promise<Turn> {
    const { withoutTools, fileRestore, onStart } = change;
    const start = turnStart(message, model, this.#conversation.current, this.#options);
    this.#conversation.apply({ ...start, ...(withoutTools === true && { withoutTools }) });
    if (fileRestore !== undefined)
      this.#conversation.apply({ type: 'files-restore', turn: start.id, restore: fileRestore });
    onStart?.();
    return this.#noteTools(await this.#run(), withoutTools);
  }

  /**
   * Starts a turn for each of the models. Resolves with the turns, in the order of the models, when
   * all have ended.
   */
  compare(
    message: UserMessage,
    models: readonly string[],
    onStart?: () => void,
  ): Promise<readonly Turn[]> {
    const [first, ...others] = models.map((model) =>
      turnStart(message, model, this.#conversation.current, this.#options),
    );
    if (first === undefined) throw new Error('There is no model to compare.');
    for (const event of [first, ...others.map((start) => comparedTurnStart(start))])
      this.#conversation.apply(event);
    onStart?.();
    return Promise.all([first, ...others].map(({ id }) => this.#run(id)));
  }

  /**
   * Sends the message of a turn again. The turn and all later ones stay as another version. A
   * compared turn is replaced within its comparison if the message stays the same.
   */
  resend(turn: Turn, message: UserMessage, change: ResendOptions): Promise<Turn> {
    const { id, question, model } = turn;
    const isSame = message.text === question.text && message.attachments === question.attachments;
    if (isSame && comparedTurns(this.#conversation.current).some((other) => other.id === id))
      return this.#resendCompared(turn, change);
    this.choose(id);
    this.#conversation.apply({ type: 'turn-remove', id });
    return this.start(message, change.model ?? model, change);
  }

  async #resendCompared(
    turn: Turn,
    { model = turn.model, withoutTools, onStart }: ResendOptions,
  ): Promise<Turn> {
    const before = conversationOf(this.#conversation.current, turn.id);
    const start = turnStart(turn.question, model, before, this.#options);
    this.#conversation.apply({
      ...comparedTurnStart(start, turn.id),
      ...(withoutTools === true && { withoutTools }),
    });
    onStart?.();
    return this.#noteTools(await this.#run(start.id), withoutTools);
  }

  /** Continues the newest turn, which ended early. Resolves when it has ended. */
  continue(onStart?: () => void): Promise<Turn> {
    this.#conversation.apply({ type: 'turn-continue', at: this.#options.clock.wall() });
    onStart?.();
    return this.#run();
  }

  /**
   * Ends an open comparison: chooses the turn with this id, or the default if it isn't one of the
   * compared turns.
   */
  choose(id = ''): void {
    const turns = comparedTurns(this.#conversation.current);
    const turn = turns.find((candidate) => candidate.id === id) ?? defaultChoice(turns);
    if (turn !== undefined) this.#conversation.apply({ type: 'version-select', turn: turn.id });
  }

  /** @param turn the only one to stop */
  stop(turn?: string): void {
    for (const [id, runner] of this.#runners) if (turn === undefined || turn === id) runner.stop();
  }

  /** Resumes a running turn if it is paused at a limit. */
  resume(turn = this.#conversation.current.running?.id ?? ''): void {
    if (shownTurn(this.#conversation.current, turn)?.status === 'paused')
      this.#runners.get(turn)?.resume();
  }

  async end(): Promise<void> {
    this.stop();
    await Promise.all([...this.#runners.values()].map((runner) => runner.run()));
  }

  /** Ends all turns for good: one that starts later ends without a request. */
  close(): Promise<void> {
    this.#isClosed = true;
    return this.end();
  }

  async #run(id = runningTurn(this.#conversation.current).id): Promise<Turn> {
    const runner = new TurnRunner(id, this.#conversation, this.#planner, this.#options);
    this.#runners.set(id, runner);
    if (this.#isClosed) runner.stop();
    try {
      await runner.run();
    } finally {
      this.#runners.delete(id);
    }
    const turn = shownTurn(this.#conversation.current, id);
    if (turn === undefined) throw new Error('This turn no longer exists.');
    return turn;
  }

  /** @param wereRefused whether a request with tools was refused before */
  #noteTools(turn: Turn, wereRefused = false): Turn {
    if (wereRefused && turn.status === 'finished') this.#options.onToolsRefused(turn.model);
    return turn;
  }
}
