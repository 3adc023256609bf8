import type { ToolCallPart, ToolOutcome } from '../conversation/conversation.ts';
import { isHigher, type ChatMode } from '../conversation/mode.ts';
import { raceAbort } from '../support/async.ts';
import type { Clock } from '../support/clock.ts';
import type { Disposable } from '../support/event.ts';
import { parseJson, sortKeys, isObject, type JsonObject } from '../support/json.ts';
import { RedactedText, type Redactor } from '../support/redact.ts';
import { maskSecrets, masksIn } from '../support/secretTokens.ts';
import { truncateText, revealInvisible } from '../support/text.ts';
import { knownToolName } from '../support/toolName.ts';
import { DeniedByPerson, ToolError } from '../support/toolError.ts';
import { findToolsName, maxExternalTools } from './findTools.ts';
import {
  AllowedText,
  type PreparedCall,
  type Tool,
  type ToolContext,
  type ToolDefinition,
  type RequestApproval,
  type ToolCategory,
} from './tool.ts';

/**
 * Maximum number of characters of a result. Tools with longer results return the rest in further
 * calls.
 */
export const maxResultLength = 40_000;

export interface ToolResult {
  readonly outcome: ToolOutcome;
  readonly text: string;
  /** The reason why the person denied the call; absent if they gave none. */
  readonly denialReason?: string | undefined;
}

/** A valid call, or the result of one that is refused without running. */
export type CheckedCall =
  | { readonly tool: Tool; readonly call: PreparedCall }
  | { readonly refused: ToolResult };

export interface ToolboxOptions {
  readonly clock: Clock;
  readonly redactor: Redactor;
  readonly onError: (tool: string, error: unknown) => void;
  /** Creates `find_tools`. Without it, all tools are sent. */
  readonly createFinder?: (tools: readonly Tool[]) => Tool;
}

/** The tools that a model may use; validates and runs their calls. */
export class Toolbox {
  readonly #tools: readonly Tool[];
  readonly #options: ToolboxOptions;
  readonly #mode: () => ChatMode;
  readonly #additional: () => readonly Tool[];

  /**
   * @param tools in the order in which they are sent: the same in every request
   * @param mode the current mode of the chat, which may have become lower since the tools were sent
   * @param additional the tools that are sent after them by now
   */
  constructor(
    tools: readonly Tool[],
    options: ToolboxOptions,
    mode: () => ChatMode = () => 'agent',
    additional: () => readonly Tool[] = () => [],
  ) {
    this.#tools = tools;
    this.#options = options;
    this.#mode = mode;
    this.#additional = additional;
  }

  /** The value of `tools` in a request (docs/service.md 2.8). */
  get definitions(): readonly ToolDefinition[] {
    return this.#sent.map(({ definition }) => definition);
  }

  /** A toolbox with only the tools of a chat's mode; undefined if there are none. */
  inMode(mode: () => ChatMode): Toolbox | undefined {
    const initial = mode();
    return this.#where(({ category }) => allows(initial, category), mode);
  }

  /** The same tools, sent as before, of which only those that read are run. */
  get runningReading(): Toolbox {
    const mode = (): ChatMode => (isHigher(this.#mode(), 'ask') ? 'ask' : this.#mode());
    return new Toolbox(this.#tools, this.#options, mode, this.#additional);
  }

  /** A toolbox with only the tools that are sent; undefined if there are none. */
  offering(isSent: (tool: ToolDefinition) => boolean): Toolbox | undefined {
    return this.#where(({ definition }) => isSent(definition));
  }

  get names(): readonly string[] {
    return this.#sent.map(({ name }) => name);
  }

  /** A toolbox with only these tools; undefined if it has none of them. */
  only(names: readonly string[]): Toolbox | undefined {
    return this.#where(({ name }) => names.includes(name));
  }

  /**
   * A toolbox with `find_tools` instead of the tools of other extensions, if these are many. Those
   * that were found are sent at the end, so that requests begin as the ones before.
   * @param foundNames the names found so far, in the order in which they were found
   */
  deferring(foundNames: () => readonly string[]): Toolbox {
    const { createFinder } = this.#options;
    const others = this.#tools.filter(({ category }) => category !== 'external');
    const external = this.#tools.filter(({ category }) => category === 'external');
    if (createFinder === undefined || external.length <= maxExternalTools) return this;
    const additional = (): readonly Tool[] =>
      foundNames().flatMap((name) => external.find((tool) => tool.name === name) ?? []);
    return new Toolbox([...others, createFinder(external)], this.#options, this.#mode, additional);
  }

  get #sent(): readonly Tool[] {
    return [...this.#tools, ...this.#additional()];
  }

  #where(isIncluded: (tool: Tool) => boolean, mode = this.#mode): Toolbox | undefined {
    const tools = this.#tools.filter(isIncluded);
    const additional = (): readonly Tool[] => this.#additional().filter(isIncluded);
    const isEmpty = tools.length === 0 && additional().length === 0;
    return isEmpty ? undefined : new Toolbox(tools, this.#options, mode, additional);
  }

  /** False for an unknown tool. */
  doesMoreThanRead(name: string): boolean {
    const tool = this.#find(name);
    return tool !== undefined && tool.category !== 'read';
  }

  /** The appearance of a tool's calls; empty for unknown tools. */
  appearance(name: string): Pick<ToolCallPart, 'icon' | 'summary'> {
    const tool = this.#find(name);
    return tool === undefined ? {} : { icon: tool.icon, summary: tool.summary };
  }

  /**
   * A key that is equal for calls with the same name and arguments, regardless of JSON formatting.
   */
  callKey(name: string, json: string): string {
    try {
      return JSON.stringify([name, sortKeys(parseJson(json) ?? json)]);
    } catch {
      // Nested too deeply for a recursive function.
      return JSON.stringify([name, json]);
    }
  }

  /** Finds the tool and validates the arguments: strict JSON that matches the tool's schema. */
  check(name: string, json: string): CheckedCall {
    const tool = this.#find(name);
    if (tool === undefined) {
      // The arguments of a tool that was not found are guessed, so it isn't run.
      const advice = this.names.includes(findToolsName)
        ? ` Find others with ${findToolsName}.`
        : '';
      const names = this.names.join(', ');
      return refuse(
        `There is no tool ${JSON.stringify(name)}. Available tools: ${names}.${advice}`,
      );
    }
    if (!allows(this.#mode(), tool.category)) return refuse(modeRefusal(this.#mode()));
    // The schema of a foreign tool may mean what looks like a mistake.
    const { parameters } = tool.definition.function;
    const value = readArguments(json, tool.category === 'external' ? {} : parameters);
    if (value === undefined)
      return refuse('The arguments are not a JSON object. Send the call again.');
    try {
      return { tool, call: tool.prepare(value) };
    } catch (error) {
      return { refused: this.#resultOf(error, name) };
    }
  }

  /** Runs a call. Rejects only, and immediately, when the signal aborts. */
  async run(tool: Tool, call: PreparedCall, context: ToolContext): Promise<ToolResult> {
    const { clock, redactor } = this.#options;
    // A call may wait for the ones before it, and the person may change the mode meanwhile.
    const requireAllowed = (): void => {
      if (!allows(this.#mode(), tool.category))
        throw new ToolError(modeRefusal(this.#mode()), 'denied');
    };
    const printed = new RedactedText(redactor);
    const print = (text: string): void => {
      if (text !== '') context.print(text);
    };
    const redacted = {
      ...context,
      print: (text: string) => print(printed.push(text)),
      requireAllowed,
    };
    const deadline = new Deadline(tool.deadline, redacted, clock);
    try {
      requireAllowed();
      const result = await raceAbort(call.run(deadline.context), deadline.context.signal);
      return { outcome: 'done', text: this.#modelText(result) };
    } catch (error) {
      context.signal.throwIfAborted();
      return this.#resultOf(deadline.explain(error, tool.category), tool.name);
    } finally {
      deadline.dispose();
      if (!context.signal.aborted) print(printed.end());
    }
  }

  #find(name: string): Tool | undefined {
    const known = knownToolName(name, this.names);
    return this.#sent.find((tool) => tool.name === known);
  }

  #resultOf(error: unknown, name: string): ToolResult {
    if (error instanceof ToolError) {
      const result = { outcome: error.outcome, text: this.#modelText(error.message) };
      const reason = error instanceof DeniedByPerson ? error.reason : undefined;
      if (reason === undefined) return result;
      // The person sees it, who needs no notes about what the model can't see.
      const { text } = maskSecrets(this.#options.redactor.redact(reason));
      return { ...result, denialReason: text };
    }
    this.#options.onError(name, error);
    const reason = error instanceof Error ? error.message : String(error);
    return { outcome: 'failed', text: this.#modelText(`The tool failed: ${reason}`) };
  }

  /**
   * Prepares text for the model: removes the person's keys, masks likely secrets, makes invisible
   * characters visible, and limits the length.
   */
  #modelText(result: string | AllowedText): string {
    const isAllowed = result instanceof AllowedText;
    const redacted = this.#options.redactor.redact(isAllowed ? result.text : result);
    const masked = isAllowed ? redacted : maskSecrets(redacted).text;
    const { text: visible, count } = revealInvisible(masked);
    const masks = masksIn(masked).length;
    const warning =
      (masks === 0 ? '' : `(Secrets shown as ‹masked …›: ${masks}. edit_file keeps them.)\n`) +
      (count === 0 ? '' : `(Invisible characters shown as \\u{…}: ${count})\n`);
    if (visible.length <= maxResultLength) return warning + visible;
    const note = `\n(Cut: ${maxResultLength} of ${visible.length} characters. Ask for a smaller part to see the rest.)`;
    return warning + truncateText(visible, maxResultLength) + note;
  }
}

/** The effects of another extension's tool are unknown, so it counts as making changes. */
function allows(mode: ChatMode, category: ToolCategory): boolean {
  return mode === 'agent' || (mode === 'ask' && category === 'read');
}

function modeRefusal(mode: ChatMode): string {
  return mode === 'chat'
    ? 'Not run: the person has chosen a mode without tools.'
    : 'Not run: the person has chosen a mode with tools that read only.';
}

function refuse(text: string): CheckedCall {
  return { refused: { outcome: 'failed', text } };
}

/** Aborts a call that takes too long. Time spent waiting for approval does not count. */
class Deadline implements Disposable {
  readonly #milliseconds: number | undefined;
  readonly #clock: Clock;
  readonly #ended = new AbortController();
  #timer: Disposable | undefined;
  readonly context: ToolContext;

  /** @param milliseconds undefined if the duration is not limited */
  constructor(milliseconds: number | undefined, context: ToolContext, clock: Clock) {
    this.#milliseconds = milliseconds;
    this.#clock = clock;
    const signal = AbortSignal.any([context.signal, this.#ended.signal]);
    const requestApproval: RequestApproval = async (request, answer) => {
      this.dispose();
      try {
        return await context.requestApproval(request, answer);
      } finally {
        this.#start();
      }
    };
    this.context = { ...context, signal, requestApproval };
    this.#start();
  }

  /**
   * Replaces an error caused by the deadline with a message for the model. Only read-only calls are
   * certain to have had no effect.
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
}

/**
 * Reads the arguments of a call, which models often write with a small mistake: as JSON in a
 * string, with line breaks in strings, `null` for what they leave out, a number or a list as text.
 * What can mean only one thing is read so; the schema of the tool is checked afterwards.
 *
 * @param json as the model wrote it; some services send an empty text for no arguments
 * @param schema of the tool, see `toJsonSchema`
 * @returns undefined if it is no JSON object
 */
export function readArguments(json: string, schema: JsonObject): JsonObject | undefined {
  if (json.trim() === '') return {};
  const value = parseJson(json) ?? parseJson(escapeControls(json));
  const object = fitObject(isObject(value) ? value : parsed(value, isObject), schema);
  return isObject(object) ? object : undefined;
}

/** Escapes control characters in the strings of a JSON text, where only escapes are valid. */
function escapeControls(json: string): string {
  return json.replace(/"(?:[^"\\]|\\[^])*"?/g, (string) =>
    string.replace(/[\u0000-\u001f]/g, (character) => JSON.stringify(character).slice(1, -1)),
  );
}

function fit(value: unknown, schema: JsonObject): unknown {
  switch (schema['type']) {
    case 'object':
      return fitObject(isObject(value) ? value : parsed(value, isObject), schema);
    case 'array': {
      const list = Array.isArray(value)
        ? value
        : parsed(value, (inner) => Array.isArray(inner) || isObject(inner));
      const entries: readonly unknown[] = Array.isArray(list) ? list : [list];
      const items = schema['items'];
      return isObject(items) ? entries.map((entry) => fit(entry, items)) : entries;
    }
    case 'number':
      return typeof value === 'string' && /^-?\d{1,15}(?:\.\d{1,15})?$/.test(value.trim())
        ? Number(value)
        : value;
    case 'boolean':
      return value === 'true' ? true : value === 'false' ? false : value;
    case 'string':
      return typeof value === 'number' || typeof value === 'boolean' ? String(value) : value;
    default:
      return value;
  }
}

function fitObject(value: unknown, { properties, required }: JsonObject): unknown {
  if (!isObject(value) || !isObject(properties)) return value;
  const isRequired = (name: string): boolean => Array.isArray(required) && required.includes(name);
  return Object.fromEntries(
    Object.entries(value).flatMap(([name, field]) => {
      const schema = properties[name];
      if (!isObject(schema)) return [[name, field]];
      return field === null && !isRequired(name) ? [] : [[name, fit(field, schema)]];
    }),
  );
}

/** The value of a JSON text, if it is of the right kind; otherwise the text itself. */
function parsed(value: unknown, isRight: (inner: unknown) => boolean): unknown {
  if (typeof value !== 'string') return value;
  const inner = parseJson(value) ?? parseJson(escapeControls(value));
  return isRight(inner) ? inner : value;
}
