import type { ToolCallPart, ToolOutcome } from '../conversation/conversation.ts';
import { raceAbort } from '../support/async.ts';
import type { Clock } from '../support/clock.ts';
import type { Disposable } from '../support/event.ts';
import { isObject, parseJson, sortKeys } from '../support/json.ts';
import { RedactedText, type Redactor } from '../support/redact.ts';
import { truncateText, revealInvisible } from '../support/text.ts';
import { ToolError } from '../support/toolError.ts';
import type {
  PreparedCall,
  Tool,
  ToolContext,
  ToolDefinition,
  RequestApproval,
  ToolCategory,
} from './tool.ts';

/** Characters of a result that the model is told; tools that have more let it ask for the rest. */
export const maxResultLength = 40_000;

/** How a call ended, and what the model is told of it. */
export interface ToolResult {
  readonly outcome: ToolOutcome;
  readonly text: string;
}

/** A call that the toolbox understood, or one that ended before it began. */
export type CheckedCall =
  { readonly tool: Tool; readonly call: PreparedCall } | { readonly refused: ToolResult };

export interface ToolboxOptions {
  readonly clock: Clock;
  /** Takes out of what a call prints and returns what must not leave the host. */
  readonly redactor: Redactor;
  /** Hears of errors that no tool foresaw. */
  readonly onError: (tool: string, error: unknown) => void;
}

/** The tools that a model may use, and how one of their calls is carried out. */
export class Toolbox {
  readonly #options: ToolboxOptions;
  readonly #tools: readonly Tool[];

  /** @param tools in the order in which the model reads of them: the same in every request. */
  constructor(tools: readonly Tool[], options: ToolboxOptions) {
    this.#tools = tools;
    this.#options = options;
  }

  /** The value of `tools` in a request (section 2.8). */
  get definitions(): readonly ToolDefinition[] {
    return this.#tools.map(({ definition }) => definition);
  }

  /** Whether a tool does more than read. */
  isEditTool(name: string): boolean {
    const tool = this.#find(name);
    return tool !== undefined && tool.category !== 'read';
  }

  /** How calls of a tool are shown, whatever their arguments: nothing where there is no such tool. */
  appearance(name: string): Pick<ToolCallPart, 'icon' | 'summary'> {
    const tool = this.#find(name);
    return tool === undefined ? {} : { icon: tool.icon, summary: tool.summary };
  }

  /** What calls have in common that say the same, however their JSON is written. */
  callKey(name: string, given: string): string {
    return JSON.stringify([name, sortKeys(parseJson(given) ?? given)]);
  }

  /** Finds the tool and checks the arguments: strict JSON that fits the tool's schema. */
  check(name: string, given: string): CheckedCall {
    const tool = this.#find(name);
    if (tool === undefined) {
      const names = this.#tools.map((one) => one.name).join(', ');
      return refuse(`There is no tool ${JSON.stringify(name)}. Available tools: ${names}.`);
    }
    // A function without arguments comes as an empty text from some services.
    const value = given.trim() === '' ? {} : parseJson(given);
    if (!isObject(value))
      return refuse('The arguments are not a JSON object. Send the call again.');
    try {
      return { tool, call: tool.prepare(value) };
    } catch (error) {
      return { refused: this.#resultOf(error, name) };
    }
  }

  /** Carries a call out. Never rejects but when the signal aborts, and then at once. */
  async run(tool: Tool, call: PreparedCall, context: ToolContext): Promise<ToolResult> {
    const { clock, redactor } = this.#options;
    const printed = new RedactedText(redactor);
    const print = (text: string): void => {
      if (text !== '') context.print(text);
    };
    const redacted = { ...context, print: (text: string) => print(printed.push(text)) };
    const deadline = new Deadline(tool.deadline, redacted, clock);
    try {
      const text = await raceAbort(call.run(deadline.context), deadline.context.signal);
      return { outcome: 'done', text: this.#modelText(text) };
    } catch (error) {
      context.signal.throwIfAborted();
      return this.#resultOf(deadline.explain(error, tool.category), tool.name);
    } finally {
      deadline.dispose();
      if (!context.signal.aborted) print(printed.end());
    }
  }

  #find(name: string): Tool | undefined {
    return this.#tools.find((one) => one.name === name);
  }

  #resultOf(error: unknown, name: string): ToolResult {
    if (error instanceof ToolError) {
      return { outcome: error.outcome, text: this.#modelText(error.message) };
    }
    this.#options.onError(name, error);
    const reason = error instanceof Error ? error.message : String(error);
    return { outcome: 'failed', text: this.#modelText(`The tool failed: ${reason}`) };
  }

  /** What may be sent: without secrets, with hidden characters shown, and not too long. */
  #modelText(text: string): string {
    const { text: shown, count } = revealInvisible(this.#options.redactor.redact(text));
    const warning = count === 0 ? '' : `(Invisible characters shown as \\u{…}: ${count})\n`;
    if (shown.length <= maxResultLength) return warning + shown;
    const note = `\n(Cut: ${maxResultLength} of ${shown.length} characters. Ask for a smaller part to see the rest.)`;
    return warning + truncateText(shown, maxResultLength) + note;
  }
}

function refuse(text: string): CheckedCall {
  return { refused: { outcome: 'failed', text } };
}

/** Ends a call that takes too long. The time in which the person decides does not count. */
class Deadline implements Disposable {
  readonly #milliseconds: number | undefined;
  readonly #clock: Clock;
  readonly #ended = new AbortController();
  #timer: Disposable | undefined;
  /** The context for the call, whose signal also aborts at the deadline. */
  readonly context: ToolContext;

  /** @param milliseconds undefined for a call that may take as long as the person lets it. */
  constructor(milliseconds: number | undefined, context: ToolContext, clock: Clock) {
    this.#milliseconds = milliseconds;
    this.#clock = clock;
    const signal = AbortSignal.any([context.signal, this.#ended.signal]);
    this.context = { ...context, signal, requestApproval: this.#asking(context.requestApproval) };
    this.#start();
  }

  /**
   * The error in words for the model, where the deadline is what it came from. Only what reads is
   * certain to have done nothing.
   */
  explain(error: unknown, category: ToolCategory): unknown {
    if (!this.#ended.signal.aborted) return error;
    const advice =
      category === 'read'
        ? 'Request less at a time.'
        : 'It may still have taken effect: check before you continue.';
    return new ToolError(`It timed out after ${(this.#milliseconds ?? 0) / 1000} s. ${advice}`);
  }

  dispose(): void {
    this.#timer?.dispose();
  }

  #start(): void {
    if (this.#milliseconds === undefined) return;
    this.#timer = this.#clock.after(this.#milliseconds, () => this.#ended.abort());
  }

  #asking(ask: RequestApproval): RequestApproval {
    return async (request, answer) => {
      this.dispose();
      try {
        return await ask(request, answer);
      } finally {
        this.#start();
      }
    };
  }
}
