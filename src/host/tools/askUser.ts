import * as vscode from 'vscode';
import * as z from 'zod/mini';
import { askUserName, mostChoices } from '../../core/conversation/question.ts';
import { abortError } from '../../core/support/async.ts';
import { AllowedText, defineTool, type Tool } from '../../core/tools/tool.ts';
import { keyOfCall } from '../approval/panelDecisions.ts';

/** The questions that wait for the person. Nothing but an answer or Stop ends one. */
export class OpenQuestions {
  readonly #pending = new Map<string, (answer: string) => void>();

  /** Resolves with the answer; rejects when the signal aborts. */
  wait(turn: string, call: string, signal: AbortSignal): Promise<string> {
    const key = keyOfCall(turn, call);
    return new Promise<string>((resolve, reject) => {
      const stop = (): void => reject(abortError(signal));
      signal.addEventListener('abort', stop, { once: true });
      if (signal.aborted) stop();
      this.#pending.set(key, resolve);
    }).finally(() => this.#pending.delete(key));
  }

  /** Returns whether the question was open. */
  answer(turn: string, call: string, answer: string): boolean {
    const key = keyOfCall(turn, call);
    const resolve = this.#pending.get(key);
    this.#pending.delete(key);
    resolve?.(answer);
    return resolve !== undefined;
  }
}

/** `ask_user`: asks the person, whose answer is the result. It has no effect, and so needs no approval. */
export function askUserTool(questions: OpenQuestions): Tool {
  return defineTool({
    name: askUserName,
    category: 'read',
    icon: 'question',
    label: vscode.l10n.t('Ask a Question'),
    summary: { many: vscode.l10n.t('Asked {0} questions') },
    description: 'Asks the person what only they can decide.',
    schema: z.strictObject({
      question: z.string().check(z.minLength(1)),
      choices: z
        .array(z.string().check(z.minLength(1)))
        .check(
          z.minLength(2),
          z.maxLength(mostChoices),
          z.describe(`2 to ${mostChoices}: "label: explanation"`),
        ),
      several: z.optional(z.boolean()),
    }),
    title: ({ question }) => question,
    async run(_, { turn, call, requestApproval }) {
      const request = { by: 'question', forChat: false, files: [] } as const;
      const answer = await requestApproval(request, (signal) => questions.wait(turn, call, signal));
      // The person's own words are sent as they are, like a message.
      return new AllowedText(answer);
    },
  });
}
