import * as z from 'zod/v4/core';
import type { JsonObject } from '../support/json.ts';

/**
 * The JSON Schema of section 2.8 for the arguments of a tool, without what says nothing to a model.
 * It knows the few kinds of schemas that tools have: zod's own `toJSONSchema`, which knows all
 * kinds, is as large as a dozen tools. A limit that it does not know is checked all the same.
 * @throws {Error} where the schema, or a part of it, is of another kind.
 */
export function parametersOf(schema: z.$ZodType): JsonObject {
  return { ...kindOf(schema), ...z.globalRegistry.get(schema) };
}

function kindOf(schema: z.$ZodType): JsonObject {
  if (schema instanceof z.$ZodOptional) return parametersOf(schema._zod.def.innerType);
  if (schema instanceof z.$ZodObject) return objectOf(schema);
  if (schema instanceof z.$ZodArray) {
    return { type: 'array', items: parametersOf(schema._zod.def.element) };
  }
  if (schema instanceof z.$ZodString) return { type: 'string', ...limitsOf(schema) };
  if (schema instanceof z.$ZodNumber) return { type: 'number', ...limitsOf(schema) };
  if (schema instanceof z.$ZodBoolean) return { type: 'boolean' };
  throw new Error(`Parameters of tools are no ${schema._zod.def.type}.`);
}

function objectOf(schema: z.$ZodObject): JsonObject {
  const fields = Object.entries(schema._zod.def.shape);
  const required = fields.filter(([, field]) => !(field instanceof z.$ZodOptional));
  return {
    type: 'object',
    properties: Object.fromEntries(fields.map(([name, field]) => [name, parametersOf(field)])),
    ...(required.length > 0 && { required: required.map(([name]) => name) }),
  };
}

function limitsOf({ _zod: { def } }: z.$ZodType): JsonObject {
  return Object.fromEntries((def.checks ?? []).flatMap(limitOf));
}

function limitOf(check: z.$ZodCheck): [string, unknown][] {
  if (check instanceof z.$ZodCheckMaxLength) return [['maxLength', check._zod.def.maximum]];
  if (check instanceof z.$ZodCheckGreaterThan) return [['minimum', check._zod.def.value]];
  if (check instanceof z.$ZodCheckLessThan) return [['maximum', check._zod.def.value]];
  return [];
}
