import * as z from 'zod/mini';

/** Prefix of the line that a process prints after each file. */
export const fileEnd = 'end of the file: ';

/** Result of one file with journeys. */
export const fileResult = z.object({
  file: z.string(),
  passed: z.number(),
  /** Titles of failed journeys. */
  failed: z.array(z.string()),
  skipped: z.array(z.object({ title: z.string(), reason: z.string() })),
  /** Duration of the whole file. */
  seconds: z.number(),
  /** Number of windows that were opened, and the time for it. */
  opening: z.object({ windows: z.number(), seconds: z.number() }),
});

export type FileResult = z.infer<typeof fileResult>;
