import {
  runningTurn,
  type Attachment,
  type FileRestore,
  type Turn,
  type UserMessage,
} from '../conversation/conversation.ts';
import type { LiveConversation } from '../conversation/liveConversation.ts';
import { turnOfPath } from '../conversation/paths.ts';
import { turnStart } from './nextTurn.ts';
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
 * Runs the turns of a chat in this window, one at a time. The caller makes sure that no other work on
 * the chat runs when a turn starts.
 */
export class ChatTurns {
  readonly #conversation: LiveConversation;
  readonly #planner: RequestPlanner;
  readonly #options: ChatTurnsOptions;
  #runner: TurnRunner | undefined;
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

  /** Sends the message of a turn again. The turn and all later ones stay as another version. */
  resend({ id, model }: Turn, message: UserMessage, change: ResendOptions): Promise<Turn> {
    this.#conversation.apply({ type: 'turn-remove', id });
    return this.start(message, change.model ?? model, change);
  }

  /** Continues the newest turn, which ended early. Resolves when it has ended. */
  continue(onStart?: () => void): Promise<Turn> {
    this.#conversation.apply({ type: 'turn-continue', at: this.#options.clock.wall() });
    onStart?.();
    return this.#run();
  }

  stop(): void {
    this.#runner?.stop();
  }

  /** Resumes the running turn if it is paused at a limit. */
  resume(): void {
    if (this.#conversation.current.running?.status === 'paused') this.#runner?.resume();
  }

  async end(): Promise<void> {
    this.stop();
    await this.#runner?.run();
  }

  /** Ends the turns for good: one that starts later ends without a request. */
  close(): Promise<void> {
    this.#isClosed = true;
    return this.end();
  }

  async #run(): Promise<Turn> {
    const { id } = runningTurn(this.#conversation.current);
    const runner = new TurnRunner(id, this.#conversation, this.#planner, this.#options);
    this.#runner = runner;
    if (this.#isClosed) runner.stop();
    try {
      await runner.run();
    } finally {
      this.#runner = undefined;
    }
    const turn = turnOfPath(this.#conversation.current, id);
    if (turn === undefined) throw new Error('This turn no longer exists.');
    return turn;
  }

  /** @param wereRefused whether a request with tools was refused before */
  #noteTools(turn: Turn, wereRefused = false): Turn {
    if (wereRefused && turn.status === 'finished') this.#options.onToolsRefused(turn.model);
    return turn;
  }
}
