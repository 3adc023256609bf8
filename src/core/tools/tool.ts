import type * as z from 'zod/mini';
import * as zodCore from 'zod/v4/core';
import en from 'zod/v4/locales/en.js';
import type { ApprovalRequest, CallSummary } from '../conversation/conversation.ts';
import type { JsonObject } from '../support/json.ts';
import { ToolError } from '../support/toolError.ts';

/**
 * The upper limit of what a tool may do. It is fixed in our code for each tool, whatever the model,
 * a repository or the tool itself says (threats: T29). Only `read` calls run in parallel.
 */
export type ToolCategory = 'read' | 'edit' | 'run' | 'external';

/**
 * A function that the model may call, as it appears in `tools` of a request (docs/service.md 2.8).
 */
export interface ToolDefinition {
  readonly type: 'function';
  readonly function: {
    readonly name: string;
    readonly description: string;
    readonly parameters: Readonly<Record<string, unknown>>;
  };
}

interface ToolAppearance {
  readonly icon: string;
  /** Name in the display language: `Read File`. */
  readonly label: string;
  readonly summary: CallSummary;
}

/** A tool: its definition for the model, its appearance for the person, and its implementation. */
export interface Tool extends ToolAppearance {
  readonly name: string;
  readonly category: ToolCategory;
  readonly definition: ToolDefinition;
  /** Maximum duration of a call in milliseconds; undefined if only the person can end it. */
  readonly deadline: number | undefined;
  /** The reason, for the person, why it can't be used in this window; undefined if it can. */
  readonly problem: () => string | undefined;
  /**
   * Validates the arguments of a call.
   *
   * @throws {ToolError} with a message for the model, if they are invalid
   */
  prepare(args: unknown): PreparedCall;
}

/**
 * A result with the text of one file that may contain secrets and that the person allowed the model
 * to read: it isn't masked.
 */
export class AllowedText {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

export interface PreparedCall {
  /** One line about what the call does: `Read src/app.ts, lines 1–80`. */
  readonly title: string;
  /**
   * Runs the call, and resolves with the result for the model. Ends soon after the signal aborts,
   * without partial effects.
   *
   * @throws {ToolError} with a message for the model; any other error is reported as unexpected
   */
  run(context: ToolContext): Promise<string | AllowedText>;
}

export interface ToolContext {
  /**
   * Conversation of the call. Undefined for other callers, such as VS Code's own chat, which have
   * no grants (threats: T45).
   */
  readonly conversation?: string | undefined;
  readonly turn: string;
  readonly call: string;
  readonly signal: AbortSignal;
  /** Appends to the displayed output. */
  readonly print: (text: string) => void;
  /** Shows that the call waits for approval until the person responds. */
  readonly requestApproval: RequestApproval;
  /**
   * Absent for callers without a mode.
   *
   * @throws {ToolError} if the chat's mode has become one that doesn't allow the call
   */
  readonly requireAllowed?: () => void;
  /** Shows the grant that allowed the call to run without asking (threats: I10). */
  readonly runsUnder: (grant: string) => void;
}

/**
 * Shows the approval request in the call's card, runs `answer`, which resolves with the person's
 * choice, and shows that the call continues. For approvals in the panel, see `PanelDecisions`.
 */
export type RequestApproval = <Answer>(
  request: ApprovalRequest,
  answer: (signal: AbortSignal) => Promise<Answer>,
) => Promise<Answer>;

/** The specification of a {@link Tool}; its arguments have the type of the schema. */
interface ToolSpecification<Arguments> extends ToolAppearance {
  /** Name in snake_case. */
  readonly name: string;
  readonly category: ToolCategory;
  /** Maximum duration of a call in milliseconds, without the time spent waiting for approval. */
  readonly deadline?: number;
  readonly summary: CallSummary & {
    readonly distinct?: { readonly argument: keyof Arguments & string };
  };
  /** Text for the model. Sent with every request, so every word costs tokens. */
  readonly description: string;
  /** A `z.strictObject`; fields are explained to the model with `z.describe`. */
  readonly schema: z.ZodMiniType<Arguments>;
  readonly title: (args: Arguments) => string;
  /** See {@link Tool}; absent for tools that can be used in every window. */
  readonly problem?: () => string | undefined;
  readonly run: (args: Arguments, context: ToolContext) => Promise<string | AllowedText>;
}

/** Without these messages, zod only reports that the input is invalid. */
const { localeError } = en();

/** Creates a tool from a specification whose schema both describes and validates the arguments. */
export function defineTool<Arguments>(specification: ToolSpecification<Arguments>): Tool {
  const { name, category, icon, label, summary, deadline } = specification;
  const { description, schema, title, problem = () => undefined, run } = specification;
  const parameters = toJsonSchema(schema);
  return {
    name,
    category,
    icon,
    label,
    summary,
    deadline,
    problem,
    definition: { type: 'function', function: { name, description, parameters } },
    prepare(args) {
      const checked = schema.safeParse(args, { error: localeError });
      if (!checked.success) {
        const problems = checked.error.issues.map(({ path, message }) =>
          path.length === 0 ? message : `${path.join('.')}: ${message}`,
        );
        throw new ToolError(
          `The arguments are not valid: ${problems.join('; ')}. They must be JSON for this schema: ${JSON.stringify(parameters)}`,
        );
      }
      const { data } = checked;
      return { title: title(data), run: (context) => run(data, context) };
    },
  };
}

/**
 * The JSON Schema of docs/service.md 2.8 for the arguments of a tool, reduced to what is useful to
 * a model. Supports only the kinds of schemas that tools use: zod's `toJSONSchema`, which supports
 * all kinds, is as large as a dozen tools. Limits are validated, but not sent.
 *
 * @throws {Error} if a part of the schema is of another kind
 */
export function toJsonSchema(schema: zodCore.$ZodType): JsonObject {
  let json: JsonObject;
  if (schema instanceof zodCore.$ZodOptional) json = toJsonSchema(schema._zod.def.innerType);
  else if (schema instanceof zodCore.$ZodObject) {
    const fields = Object.entries(schema._zod.def.shape);
    const required = fields.filter(([, field]) => !(field instanceof zodCore.$ZodOptional));
    json = {
      type: 'object',
      properties: Object.fromEntries(fields.map(([name, field]) => [name, toJsonSchema(field)])),
      ...(required.length > 0 && { required: required.map(([name]) => name) }),
    };
  } else if (schema instanceof zodCore.$ZodArray) {
    json = { type: 'array', items: toJsonSchema(schema._zod.def.element) };
  } else if (schema instanceof zodCore.$ZodString) json = { type: 'string' };
  else if (schema instanceof zodCore.$ZodNumber) json = { type: 'number' };
  else if (schema instanceof zodCore.$ZodBoolean) json = { type: 'boolean' };
  else throw new Error(`Parameters of tools are no ${schema._zod.def.type}.`);
  return { ...json, ...zodCore.globalRegistry.get(schema) };
}
