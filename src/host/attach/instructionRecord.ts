import * as z from 'zod/mini';

const record = z.object({
  version: z.literal(1),
  files: z.array(z.object({ path: z.string(), isUsed: z.boolean(), text: z.string() })),
});

/** What the person decided about a file with instructions. */
export interface InstructionDecision {
  /** As the person knows it. */
  readonly path: string;
  readonly isUsed: boolean;
  /** Its text as the person last knew it. */
  readonly text: string;
}

/** A record of another version, or a damaged one, counts as none: it is asked again. */
export function readInstructionRecord(stored: unknown): readonly InstructionDecision[] {
  return record.safeParse(stored).data?.files ?? [];
}

/** The value to store. */
export function writeInstructionRecord(files: readonly InstructionDecision[]): unknown {
  return { version: 1, files };
}
