import * as z from 'zod/mini';

/** Begins the line that a process prints after each file. */
export const fileEnd = 'end of the file: ';

/** What became of the journeys of a file. */
export const fileResult = z.object({
  passed: z.number(),
  /** Their titles. */
  failed: z.array(z.string()),
  leftOut: z.array(z.object({ title: z.string(), reason: z.string() })),
});

export type FileResult = z.infer<typeof fileResult>;
