import { ToolError } from '../support/toolError.ts';
import type * as z from 'zod/mini';
import * as zodCore from 'zod/v4/core';
import en from 'zod/v4/locales/en.js';
import type { ApprovalRequest, CallSummary } from '../conversation/conversation.ts';
import type { JsonObject } from '../support/json.ts';

/**
 * What a tool may do at most. It is fixed in our code for each tool, whatever the model, a
 * repository or the tool itself says (threats: T29). Only `read` runs beside others.
 */
export type ToolCategory = 'read' | 'edit' | 'run' | 'external';

/** A function that the model may call, as it stands in `tools` of a request (section 2.8). */
export interface ToolDefinition {
  readonly type: 'function';
  readonly function: {
    readonly name: string;
    readonly description: string;
    readonly parameters: Readonly<Record<string, unknown>>;
  };
}

/** What a person is shown of a tool, and of all of its calls. */
interface ToolAppearance {
  /** Name of a codicon. */
  readonly icon: string;
  /** What it is called, in the person's language: `Read File`. */
  readonly label: string;
  readonly summary: CallSummary;
}

/** A tool: what the model reads of it, what a person sees of it, and what it does. */
export interface Tool extends ToolAppearance {
  readonly name: string;
  readonly category: ToolCategory;
  readonly definition: ToolDefinition;
  /** Milliseconds that a call may take; undefined where only the person ends it. */
  readonly deadline: number | undefined;
  /**
   * Checks the arguments of a call.
   * @throws {ToolError} with words for the model, where they do not fit.
   */
  prepare(given: unknown): PreparedCall;
}

/** A call whose arguments fit. */
export interface PreparedCall {
  /** What it does, in one line that a person reads: `Read src/app.ts, lines 1–80`. */
  readonly title: string;
  /**
   * Carries it out, and resolves with what the model is told. Ends soon after the signal aborts,
   * with nothing half done.
   * @throws {ToolError} with words for the model; any other error is shown as unexpected.
   */
  run(context: ToolContext): Promise<string>;
}

/** What a running call knows of its surroundings. */
export interface ToolContext {
  /** The turn that asks, and the call's own id in it. */
  readonly turn: string;
  readonly call: string;
  readonly signal: AbortSignal;
  /** Shows the person more of what the call prints. */
  readonly print: (text: string) => void;
  /** Shows that the call waits for the person, until the answer is there. */
  readonly requestApproval: RequestApproval;
  /** Tells under which grant the call runs unasked, in words for the person (threats: I10). */
  readonly runsUnder: (grant: string) => void;
}

/**
 * Shows the question in the call's card, runs `answer`, which resolves when the person decided, and
 * shows that the call goes on. A question of the panel is decided there: see `PanelDecisions`.
 */
export type RequestApproval = <Answer>(
  request: ApprovalRequest,
  answer: (signal: AbortSignal) => Promise<Answer>,
) => Promise<Answer>;

/** What makes a {@link Tool}: its arguments have the type of the schema. */
interface ToolSpecification<Arguments> extends ToolAppearance {
  /** In snake_case. */
  readonly name: string;
  readonly category: ToolCategory;
  /** Milliseconds that a call may take, without the time in which the person decides. */
  readonly deadline?: number;
  readonly summary: CallSummary & {
    readonly distinct?: { readonly argument: keyof Arguments & string };
  };
  /** For the model: it is sent with every request, so every word counts. */
  readonly description: string;
  /** A `z.strictObject`; what the model needs to know of a field is in its `z.describe`. */
  readonly schema: z.ZodMiniType<Arguments>;
  readonly title: (given: Arguments) => string;
  readonly run: (given: Arguments, context: ToolContext) => Promise<string>;
}

/** Words for what does not fit: without them, zod says no more than that the input is invalid. */
const { localeError } = en();

/** Makes a tool of its parts: one schema both describes the arguments and checks them. */
export function defineTool<Arguments>(specification: ToolSpecification<Arguments>): Tool {
  const { name, category, icon, label, summary, deadline } = specification;
  const { description, schema, title, run } = specification;
  const parameters = toJsonSchema(schema);
  return {
    name,
    category,
    icon,
    label,
    summary,
    deadline,
    definition: { type: 'function', function: { name, description, parameters } },
    prepare(given) {
      const checked = schema.safeParse(given, { error: localeError });
      if (!checked.success) throw new ToolError(problemsOf(checked.error, parameters));
      const { data } = checked;
      return { title: title(data), run: (context) => run(data, context) };
    },
  };
}

function problemsOf(error: z.core.$ZodError, parameters: unknown): string {
  const problems = error.issues.map(({ path, message }) =>
    path.length === 0 ? message : `${path.join('.')}: ${message}`,
  );
  return `The arguments are not valid: ${problems.join('; ')}. They must be JSON for this schema: ${JSON.stringify(parameters)}`;
}

/**
 * The JSON Schema of section 2.8 for the arguments of a tool, without what says nothing to a model.
 * It knows the few kinds of schemas that tools have: zod's own `toJSONSchema`, which knows all
 * kinds, is as large as a dozen tools. A limit that it does not know is checked all the same.
 * @throws {Error} where the schema, or a part of it, is of another kind.
 */
export function toJsonSchema(schema: zodCore.$ZodType): JsonObject {
  return { ...kindOf(schema), ...zodCore.globalRegistry.get(schema) };
}

function kindOf(schema: zodCore.$ZodType): JsonObject {
  if (schema instanceof zodCore.$ZodOptional) return toJsonSchema(schema._zod.def.innerType);
  if (schema instanceof zodCore.$ZodObject) return objectOf(schema);
  if (schema instanceof zodCore.$ZodArray) {
    return { type: 'array', items: toJsonSchema(schema._zod.def.element) };
  }
  if (schema instanceof zodCore.$ZodString) return { type: 'string', ...limitsOf(schema) };
  if (schema instanceof zodCore.$ZodNumber) return { type: 'number', ...limitsOf(schema) };
  if (schema instanceof zodCore.$ZodBoolean) return { type: 'boolean' };
  throw new Error(`Parameters of tools are no ${schema._zod.def.type}.`);
}

function objectOf(schema: zodCore.$ZodObject): JsonObject {
  const fields = Object.entries(schema._zod.def.shape);
  const required = fields.filter(([, field]) => !(field instanceof zodCore.$ZodOptional));
  return {
    type: 'object',
    properties: Object.fromEntries(fields.map(([name, field]) => [name, toJsonSchema(field)])),
    ...(required.length > 0 && { required: required.map(([name]) => name) }),
  };
}

function limitsOf({ _zod: { def } }: zodCore.$ZodType): JsonObject {
  return Object.fromEntries((def.checks ?? []).flatMap(limitOf));
}

function limitOf(check: zodCore.$ZodCheck): [string, unknown][] {
  if (check instanceof zodCore.$ZodCheckMaxLength) return [['maxLength', check._zod.def.maximum]];
  if (check instanceof zodCore.$ZodCheckGreaterThan) return [['minimum', check._zod.def.value]];
  if (check instanceof zodCore.$ZodCheckLessThan) return [['maximum', check._zod.def.value]];
  return [];
}
