import * as vscode from 'vscode';
import * as z from 'zod/mini';
import type { Memento } from '../memento.ts';

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
  const others = recentInstructions(state).filter((one) => one !== instruction);
  await state.update(key, [instruction, ...others].slice(0, maxInstructions));
}

/** Asks for an instruction. Resolves with undefined if the person cancels. */
export async function askInstruction(state: Memento): Promise<string | undefined> {
  const recent = recentInstructions(state);
  const box = vscode.window.createQuickPick();
  box.title = vscode.l10n.t('Edit');
  box.placeholder = vscode.l10n.t('Describe the change, for example: handle an empty list');
  const offer = (): void => {
    box.items = matchingInstructions(box.value, recent).map((label) => ({
      label,
      alwaysShow: true,
    }));
  };
  offer();
  const instruction = await new Promise<string | undefined>((resolve) => {
    box.onDidChangeValue(offer);
    box.onDidAccept(() => {
      const [active] = box.activeItems;
      resolve(active?.label ?? box.value);
      box.hide();
    });
    box.onDidHide(() => resolve(undefined));
    box.show();
  });
  box.dispose();
  const text = instruction?.trim() ?? '';
  if (text === '') return undefined;
  await rememberInstruction(state, text);
  return text;
}

/** The typed text, followed by the recent instructions that contain it. */
export function matchingInstructions(typed: string, recent: readonly string[]): readonly string[] {
  const words = typed.trim().toLowerCase();
  const fitting = recent.filter((one) => one.toLowerCase().includes(words) && one !== typed.trim());
  return words === '' ? fitting : [typed, ...fitting];
}
