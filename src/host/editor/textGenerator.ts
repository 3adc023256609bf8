import * as vscode from 'vscode';
import type { Uri } from 'vscode';
import type { TurnEnd } from '../../core/conversation/events.ts';
import type { Usage } from '../../core/conversation/usage.ts';
import { ServiceError } from '../../core/service/errors.ts';
import { lateThoughtEnd } from '../../core/service/thinkSplitter.ts';
import type { CompletionRequest, WireMessage } from '../../core/service/wire.ts';
import { abortError, raceAbort } from '../../core/support/async.ts';
import type { Clock } from '../../core/support/clock.ts';
import {
  fileInstructions,
  pieceSeparator,
  type InstructionFile,
} from '../../core/turn/messagePieces.ts';
import { wireOptions } from '../../core/turn/prompt.ts';
import { requestOnce } from '../../core/turn/replyEvents.ts';
import type { ServiceAccess } from '../service/serviceAccess.ts';
import { FailedReply, UserError } from '../platform/errors.ts';
import type { ProduceText } from '../review/fileReviews.ts';
import type { CurrentSettings } from '../platform/settings.ts';
import type { RunningRequests } from '../usage/runningRequests.ts';

export interface GenerationRequest {
  readonly messages: readonly WireMessage[];
  /** The tools of a chat that the request continues, as they are part of the prompt. None is run. */
  readonly tools?: CompletionRequest['tools'];
  readonly model: string;
  readonly signal: AbortSignal;
  /** Files that the text is about, which may have instructions. */
  readonly about?: readonly Uri[];
  /** The purpose that the usage is counted under; `edit` if absent. */
  readonly purpose?: Parameters<ServiceAccess['connect']>[0];
  readonly chat?: Parameters<ServiceAccess['connect']>[2];
  /**
   * Called with each chunk of the reply, without reasoning. Text that proves to be reasoning only
   * afterwards is followed by an end mark: see `ThinkSplitter`, which readers of chunks use.
   */
  readonly onText: (text: string) => void;
  /** Called with the usage of the request; `demo` is true for the demo service. */
  readonly onUsage?: (usage: Usage, demo: boolean) => void;
}

export interface GeneratedText {
  readonly text: string;
  /** `cut`: a part is missing. `length`: the model reached its token limit. */
  readonly end: 'finished' | 'stopped' | 'cut' | 'length';
  /** True if the model called a tool. */
  readonly hasCalls?: boolean;
  /** The error that cut off the reply, to be shown. */
  readonly fault?: Error;
}

/** Generates text outside the chat; usage, redaction and errors are handled as in the chat. */
export interface TextGenerator {
  /**
   * Rejects with an error to show. If aborted, resolves with the text so far and `stopped`; rejects
   * with an `AbortError` if Stop All stopped it.
   */
  generate(request: GenerationRequest): Promise<GeneratedText>;
}

interface TextGeneratorOptions {
  readonly service: Pick<ServiceAccess, 'connect' | 'check' | 'describe'>;
  readonly settings: CurrentSettings;
  readonly clock: Clock;
  readonly running: RunningRequests;
  /** Instruction files that the person allowed before, for a request about some files. */
  readonly instructionsFor?: (about: readonly Uri[]) => Promise<readonly InstructionFile[]>;
}

export function createTextGenerator(options: TextGeneratorOptions): TextGenerator {
  return {
    generate: (request) =>
      options.running.run(request.signal, async (signal) => {
        const generated = await new Generation(options, { ...request, signal }).run();
        // The caller didn't stop it, and must not use the partial text as the whole reply.
        if (generated.end === 'stopped' && !request.signal.aborted) throw abortError(signal);
        return generated;
      }),
  };
}

class Generation {
  readonly #options: TextGeneratorOptions;
  readonly #request: GenerationRequest;
  #text = '';
  #hasCalls = false;
  #error: unknown;

  constructor(options: TextGeneratorOptions, request: GenerationRequest) {
    this.#options = options;
    this.#request = request;
  }

  async run(): Promise<GeneratedText> {
    const { signal, model, purpose = 'edit', chat, onText, onUsage } = this.#request;
    const { service } = this.#options;
    try {
      const messages = await raceAbort(this.#messages(), signal);
      await raceAbort(service.check(messages.map(({ content }) => content ?? '')), signal);
      const { client, demo } = await raceAbort(service.connect(purpose, model, chat), signal);
      if (model === '') throw new ServiceError('missing-model', 'No model is chosen');
      const events = requestOnce(this.#body(messages), {
        client,
        clock: this.#options.clock,
        signal,
        describe: (error) => {
          this.#error = error;
          return service.describe(error, model);
        },
      });
      for await (const event of events) {
        if (event.type === 'usage') onUsage?.(event.usage, demo);
        else if (event.type === 'text-delta') {
          this.#text += event.text;
          onText(event.text);
        } else if (event.type === 'text-to-reasoning') {
          this.#text = '';
          onText(lateThoughtEnd);
        } else if (event.type === 'tool-call-end') this.#hasCalls = true;
        else if (event.type === 'turn-end') return this.#end(event);
      }
    } catch (error) {
      if (!signal.aborted) throw error;
    }
    return { text: this.#text, end: 'stopped' };
  }

  /** Adds the workspace's instructions to the first user message. */
  async #messages(): Promise<readonly WireMessage[]> {
    const { messages, about } = this.#request;
    const files = about && (await this.#options.instructionsFor?.(about));
    const texts = fileInstructions({ files }).map(({ text }) => text);
    const first = messages.findIndex(({ role }) => role === 'user');
    const message = messages[first];
    if (message?.role !== 'user' || texts.length === 0) return messages;
    const content = [...texts, message.content].join(pieceSeparator);
    return messages.with(first, { ...message, content });
  }

  /** Without stop sequences, which are meant for the chat and could truncate code. */
  #body(messages: readonly WireMessage[]): CompletionRequest {
    const { settings } = this.#options;
    const { model, tools } = this.#request;
    const { temperature, topP, maxTokens } = settings.requestOptions(model);
    return {
      model,
      messages: [...messages],
      ...(settings.current().stream ? { stream: true } : {}),
      ...wireOptions({ temperature, topP, maxTokens }),
      ...(tools && { tools }),
    };
  }

  #end({ status, finishReason, malformedEvents = 0 }: TurnEnd): GeneratedText {
    const text = this.#text;
    if (status === 'stopped') return { text, end: 'stopped' };
    const { model } = this.#request;
    if (status !== 'finished') {
      const fault = new FailedReply(this.#error, model);
      if (text === '') throw fault;
      return { text, end: 'cut', fault };
    }
    if (finishReason === 'length') return { text, end: 'length' };
    const isCut = finishReason === 'content_filter' || malformedEvents > 0;
    const end = isCut ? 'cut' : 'finished';
    return this.#hasCalls ? { text, end, hasCalls: true } : { text, end };
  }
}

/** @throws {UserError} if the end of a reply is missing */
export function requireComplete({ end, fault }: GeneratedText): void {
  if (end === 'cut') {
    throw fault ?? new UserError(vscode.l10n.t('The reply was cut off. Try again.'));
  }
  if (end === 'length') {
    throw new UserError(
      vscode.l10n.t(
        'The reply reached the maximum length. Increase "Max Tokens" in the settings, or select another model.',
      ),
    );
  }
}

/** True if the text of a file may be sent: asks the person if it may contain secrets. */
export type MaySend = (uri: Uri, text: string) => Promise<boolean>;

export function textOfMessages(messages: readonly WireMessage[]): string {
  return messages.map(({ content }) => content ?? '').join('\n');
}

/** What a command needs for its requests: the model for its purpose, the person's instructions and consent. */
export class CommandRequests {
  readonly maySend: MaySend;
  readonly #generator: TextGenerator;
  readonly #requireModel: () => Promise<string>;
  readonly #instructions: () => string;

  /**
   * @param requireModel the model for the purpose; rejects if the person chooses none
   * @param instructions `aside.instructions`
   */
  constructor(
    generator: TextGenerator,
    requireModel: () => Promise<string>,
    maySend: MaySend,
    instructions: () => string,
  ) {
    this.maySend = maySend;
    this.#generator = generator;
    this.#requireModel = requireModel;
    this.#instructions = instructions;
  }

  get instructions(): string {
    return this.#instructions();
  }

  /** The model that was chosen for one request, or the one for the purpose. */
  async model(chosen?: string): Promise<string> {
    return chosen ?? (await this.#requireModel());
  }

  generate(request: GenerationRequest): Promise<GeneratedText> {
    return this.#generator.generate(request);
  }

  /**
   * Asks whether a request about code may be sent, if it may contain secrets. The result sends it, and
   * rejects unless its reply is complete: an incomplete one would delete the end of the code.
   */
  async prepare(
    request: Omit<GenerationRequest, 'signal' | 'onText'> & { readonly about: readonly Uri[] },
  ): Promise<ProduceText | undefined> {
    const [file] = request.about;
    const text = textOfMessages(request.messages);
    if (file !== undefined && !(await this.maySend(file, text))) return undefined;
    return async (onText, signal) => {
      requireComplete(await this.generate({ ...request, onText, signal }));
    };
  }
}
