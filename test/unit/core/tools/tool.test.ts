import assert from 'node:assert/strict';
import fc from 'fast-check';
import * as z from 'zod/mini';
import { toJsonSchema } from '../../../../src/core/tools/tool.ts';

const words = fc.string({ minLength: 1 });
const limit = fc.integer({ min: 0, max: 1000 });

/** Schemas as tools use them, some with descriptions. */
const { schema } = fc.letrec<{ plain: z.ZodMiniType; schema: z.ZodMiniType }>((tie) => ({
  plain: fc.oneof(
    { depthSize: 'small' },
    fc.constant(z.boolean()),
    fc.constant(z.string()),
    limit.map((most) => z.string().check(z.maxLength(most))),
    fc.constant(z.number()),
    fc
      .tuple(limit, limit)
      .map(([least, more]) => z.number().check(z.minimum(least), z.maximum(least + more))),
    fc.constant(z.number().check(z.refine(Number.isInteger, 'must be whole'))),
    tie('schema').map((element) => z.array(element)),
    fc.dictionary(words, tie('schema')).map((fields) => z.strictObject(fields)),
    fc
      .dictionary(words, tie('schema'))
      .map((fields) =>
        z.strictObject({ path: z.string(), line: z.optional(z.number()), ...fields }),
      ),
  ),
  schema: fc
    .tuple(tie('plain'), fc.option(words), fc.boolean())
    .map(([plain, description, optional]) => {
      const described = description === null ? plain : plain.check(z.describe(description));
      return optional ? z.optional(described) : described;
    }),
}));

/** JSON Schema by zod, without the keywords that are not sent to models. */
function byZod(parameters: z.ZodMiniType): unknown {
  const { $schema, ...byLibrary } = z.toJSONSchema(parameters, {
    io: 'input',
    override({ jsonSchema }) {
      delete jsonSchema.additionalProperties;
      delete jsonSchema.maxLength;
      delete jsonSchema.minimum;
      delete jsonSchema.maximum;
    },
  });
  assert.match($schema ?? '', /json-schema/);
  return byLibrary;
}

describe('the parameters of a tool', () => {
  it("match zod's JSON Schema", () => {
    fc.assert(
      fc.property(schema, (parameters) => {
        assert.equal(JSON.stringify(toJsonSchema(parameters)), JSON.stringify(byZod(parameters)));
      }),
    );
  });

  it('are refused if they are of an unsupported kind', () => {
    const parameters = z.strictObject({ when: z.optional(z.date()) });
    assert.throws(() => toJsonSchema(parameters), { message: 'Parameters of tools are no date.' });
  });
});
