import * as z from 'zod/mini';
import type { Memento } from '../memento.ts';
import { openInstructionBox } from '../instructionBox.ts';

const key = 'editInstructions';

/** Number of recent instructions that are suggested. */
const maxInstructions = 20;

const stored = z.array(z.string());

/** Recent instructions, newest first. */
export function recentInstructions(state: Memento): readonly string[] {
  const { data } = stored.safeParse(state.get(key));
  return data ?? [];
}

export async function rememberInstruction(state: Memento, instruction: string): Promise<void> {
  const others = recentInstructions(state).filter((recent) => recent !== instruction);
  await state.update(key, [instruction, ...others].slice(0, maxInstructions));
}

/** Asks for an instruction, in a box that may already be open. Undefined if the person cancels. */
export async function askInstruction(
  state: Memento,
  { box, answer } = openInstructionBox(),
): Promise<string | undefined> {
  const recent = recentInstructions(state);
  const offer = (): void => {
    box.items = matchingInstructions(box.value, recent).map((label) => ({
      label,
      alwaysShow: true,
    }));
  };
  offer();
  box.onDidChangeValue(offer);
  const text = (await answer)?.trim() ?? '';
  if (text === '') return undefined;
  await rememberInstruction(state, text);
  return text;
}

/** The typed text, followed by the recent instructions that contain it. */
export function matchingInstructions(typed: string, recent: readonly string[]): readonly string[] {
  const words = typed.trim().toLowerCase();
  const fitting = recent.filter(
    (instruction) => instruction.toLowerCase().includes(words) && instruction !== typed.trim(),
  );
  return words === '' ? fitting : [typed, ...fitting];
}
