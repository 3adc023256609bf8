import * as z from 'zod/mini';

const target = z.object({
  /** Of the document. */
  address: z.string(),
  /** A line of the change, or of the part of it. */
  line: z.int(),
  part: z.enum(['all', 'hunk']),
});

/** What a decision is about: a change as a whole, or one part of it. */
export type DecisionTarget = z.infer<typeof target>;

const atCursor = z.object({ at: z.literal('cursor') });

/**
 * What the commands that decide were given: by a button in the text its target, by a key of package.json
 * the word that it is about the part at the cursor, by everybody else nothing that counts.
 */
export function decisionTarget(given: unknown): DecisionTarget | 'cursor' | 'editor' {
  const found = target.safeParse(given);
  if (found.success) return found.data;
  return atCursor.safeParse(given).success ? 'cursor' : 'editor';
}
