import * as z from 'zod/mini';

/** Begins the line that a process prints after each file. */
export const fileEnd = 'end of the file: ';

/** What became of the journeys of a file. */
export const fileResult = z.object({
  file: z.string(),
  passed: z.number(),
  /** Their titles. */
  failed: z.array(z.string()),
  leftOut: z.array(z.object({ title: z.string(), reason: z.string() })),
  /** Of the whole file. */
  seconds: z.number(),
  /** What opening windows took of it. */
  opening: z.object({ windows: z.number(), seconds: z.number() }),
});

export type FileResult = z.infer<typeof fileResult>;
