import type { Clock } from '../../core/support/clock.ts';
import type { Disposable } from '../../core/support/event.ts';
import { PromptTerminals, runInTerminal } from '../terminal/promptTerminals.ts';
import { applyToFile, type ApplyToFileOptions } from './applyToFile.ts';
import { openReplyAsFile, openReplyFile, type ReplyCode } from './replyFiles.ts';

/** What the buttons of a block of code do, besides copying and inserting. Each refuses in words. */
export interface ReplyActions {
  /** Opens the file that the block is of, at a line counted from 1. */
  open(path: string, line: number | undefined): Promise<void>;
  /** Shows the code as a change to review. */
  apply(code: ReplyCode): Promise<void>;
  newFile(code: ReplyCode): Promise<void>;
  /** Puts a command into a terminal, and never runs it. */
  runInTerminal(text: string): Promise<void>;
}

export interface ReplyActionsOptions extends ApplyToFileOptions {
  readonly clock: Clock;
}

/** Makes them, with the terminals that they open. */
export function createReplyActions(options: ReplyActionsOptions): ReplyActions & Disposable {
  const { find, clock } = options;
  const terminals = new PromptTerminals(clock);
  return {
    open: (path, line) => openReplyFile(path, line, find),
    apply: (code) => applyToFile(code, options),
    newFile: (code) => openReplyAsFile(code, find),
    runInTerminal: (text) => runInTerminal(text, terminals),
    dispose: () => terminals.dispose(),
  };
}
