import { join } from 'node:path';
import type { ConsoleMessage, Page } from 'playwright-core';
import type { Conversation } from '../../src/core/conversation/conversation.ts';
import { connect } from '../journeys/support/connect.ts';
import type { Journey } from '../journeys/support/journey.ts';
import { usageItem } from '../journeys/support/journeyWindow.ts';
import { Panel } from '../journeys/support/panel.ts';
import { takeEvidence } from '../journeys/support/pictures.ts';
import { Stage } from '../journeys/support/stage.ts';
import type { BilledTokens } from '../../src/local/account.ts';
import { startHttpService } from '../support/httpService.ts';
import { Workbench } from '../support/vscode/workbench.ts';
import { findDifference, storedChats, textsOf, turnsOf } from './checks.ts';
import { Random } from './random.ts';
import { script } from './script.ts';
import { settle, steps, type StepName } from './steps.ts';
import { findMiscount, watchBilling } from './tokens.ts';

/** A step, and the seed of its random generator. */
export interface PlannedStep {
  readonly name: StepName;
  readonly seed: number;
}

/** Takes steps in a new window until there are no more. Resolves with the failure, if any. */
export async function takeWalk(
  plan: Iterable<PlannedStep>,
  onStep: (step: PlannedStep) => void,
): Promise<string | undefined> {
  const service = await startHttpService({ pace: 8, script });
  const stage = await Stage.create({ settings: { 'aside.requestTimeoutSeconds': 20 } });
  try {
    const page = await stage.context.newPage();
    const workbench = new Workbench(page, usageItem);
    const panel = new Panel(workbench);
    const { workspace, userFolder } = stage;
    const picture = (): Promise<void> => Promise.resolve();
    const window = { workbench, panel, workspace, userFolder, picture, isConnected: false };
    const journey = { ...service, ...window };
    await workbench.open(stage.server.windowAddress(workspace));
    await connect(journey);
    const failure = await new Walk(journey).take(plan, onStep);
    const logs = { window: workbench.log, server: stage.server.output };
    if (failure !== undefined) await takeEvidence(page, 'failed--walk', logs);
    return failure;
  } finally {
    await stage.dispose();
    await service.close();
  }
}

class Walk {
  readonly #journey: Journey;
  readonly #folder: string;
  readonly #usage: string;
  readonly #billed: readonly BilledTokens[];
  readonly #errors: string[] = [];
  /** Contents of chats when they were closed. */
  readonly #chatsWhenClosed = new Map<string, string>();
  /** Ids of the chats that were recorded last. */
  #lastClosed: readonly string[] = [];

  constructor(journey: Journey) {
    this.#journey = journey;
    const storage = join(journey.userFolder, 'User/globalStorage/aside-chat.aside');
    this.#folder = join(storage, 'chats');
    this.#usage = join(storage, 'usage');
    this.#billed = watchBilling(journey.service);
    listen(journey.workbench.page, this.#errors);
  }

  async take(
    plan: Iterable<PlannedStep>,
    onStep: (step: PlannedStep) => void,
  ): Promise<string | undefined> {
    try {
      let number = 0;
      for (const step of plan) {
        onStep(step);
        number += 1;
        if (step.name === 'newChat') await this.#recordChat();
        await steps[step.name].take({ ...this.#journey, random: new Random(step.seed), number });
        if (step.name === 'reload') this.#handleRestart(isInterruptedLoad);
        if (step.name === 'kill') this.#handleRestart(isOfKill);
        if (this.#errors.length > 0) return this.#errors.join('\n');
      }
      await this.#recordChat();
      if (this.#errors.length > 0) return this.#errors.join('\n');
      return (await this.#findChanged()) ?? (await findMiscount(this.#usage, this.#billed));
    } catch (error) {
      return error instanceof Error ? (error.stack ?? error.message) : String(error);
    }
  }

  /** @param isExpected errors of a panel that was reloaded */
  #handleRestart(isExpected: (error: string) => boolean): void {
    drop(this.#errors, isExpected);
    // VS Code may not have stored the last visible chat yet, so the previous one is shown and
    // continued.
    for (const id of this.#lastClosed) this.#chatsWhenClosed.delete(id);
  }

  /** Compares the chat with its journal, and records its content. */
  async #recordChat(): Promise<void> {
    await settle(this.#journey.panel);
    const difference = await findDifference(this.#journey.panel, this.#folder);
    if (difference !== undefined) throw new Error(difference);
    const added = [...(await storedChats(this.#folder))].filter(
      ([id]) => !this.#chatsWhenClosed.has(id),
    );
    for (const [id, chat] of added) this.#chatsWhenClosed.set(id, contentOf(chat));
    if (added.length > 0) this.#lastClosed = added.map(([id]) => id);
  }

  /** Returns a closed chat whose stored content has changed. */
  async #findChanged(): Promise<string | undefined> {
    const chats = await storedChats(this.#folder);
    return [...this.#chatsWhenClosed]
      .map(([id, before]) => {
        const chat = chats.get(id);
        const after = chat === undefined ? 'nothing' : contentOf(chat);
        return after === before
          ? undefined
          : `The chat ${id} was left as ${before} and is now ${after}.`;
      })
      .find((changed) => changed !== undefined);
  }
}

function contentOf(chat: Conversation): string {
  return JSON.stringify(turnsOf(chat).map((turn) => [turn.id, turn.status, ...textsOf(turn)]));
}

/** Collects errors of the page and of Aside's frames. */
function listen(page: Page, errors: string[]): void {
  page.on('pageerror', (error) => errors.push(`Error in the page: ${error.message}`));
  page.on('console', (message) => {
    if (message.type() === 'error' && !isOfVsCode(message)) errors.push(message.text());
  });
}

function drop(errors: string[], isExpected: (error: string) => boolean): void {
  errors.splice(0, errors.length, ...errors.filter((error) => !isExpected(error)));
}

/** A file of Aside's page that VS Code was reading when the window was reloaded. */
function isInterruptedLoad(error: string): boolean {
  return error.includes('Webview.loadLocalResource');
}

/** Errors that VS Code reports about a killed extension host, or a page that was loading then. */
function isOfKill(error: string): boolean {
  return isInterruptedLoad(error) || error.includes('terminated unexpectedly');
}

/** Errors that VS Code reports in any window, for example about files that it was reading during a reload. */
function isOfVsCode(message: ConsoleMessage): boolean {
  const { url } = message.location();
  return !`${url} ${message.text()}`.includes('aside-chat');
}
