import type { WireMessage } from '../service/wire.ts';

/** Code that a model is to write anew, and what stands around it. */
export interface CodeToEdit {
  readonly path: string;
  readonly language: string;
  readonly before: string;
  readonly selected: string;
  readonly after: string;
  /** From 1. */
  readonly firstLine: number;
  readonly diagnostics?: readonly string[];
}

/** Messages for a request whose answer is code only. */
export function editMessages(
  code: CodeToEdit,
  instruction: string,
  instructions: string,
): WireMessage[] {
  return [
    { role: 'system', content: `Answer with code only. ${instructions}` },
    { role: 'user', content: `${instruction}\n${JSON.stringify(code)}` },
  ];
}
