import type { LocalService } from '../../../src/local/service.ts';
import { hostName, type HostName } from '../../support/vscode/hosts.ts';
import type { Workbench } from '../../support/vscode/workbench.ts';
import { isWanted, skip } from './chosenJourneys.ts';
import type { JourneyWindow } from './journeyWindow.ts';
import { leaveWindow, takeWindow, type WindowOptions } from './journeyWindow.ts';
import type { Panel } from './panel.ts';
import { takeEvidence, takePicture } from './pictures.ts';

export interface Journey {
  readonly workbench: Workbench;
  readonly panel: Panel;
  readonly service: LocalService;
  readonly baseUrl: string;
  readonly key: string;
  readonly workspace: string;
  /** User data folder of VS Code. */
  readonly userFolder: string;
  /** True if an earlier journey connected this window. */
  readonly isConnected: boolean;
  /** Saves a screenshot of the window, named after the journey. */
  readonly picture: (name: string) => Promise<void>;
}

export interface JourneyOptions extends WindowOptions {
  /**
   * Reasons why hosts can't run this journey. It isn't declared there, and the run prints the
   * reason.
   */
  readonly not?: Readonly<Partial<Record<HostName, string>>>;
}

/**
 * Declares an end-to-end test: a window with the installed extension, a fresh profile and a
 * service. If it fails, a screenshot and the texts of the window are saved.
 */
export function journey(
  title: string,
  options: JourneyOptions,
  walk: (journey: Journey) => Promise<void>,
): void {
  if (!isWanted(title)) return;
  const reason = options.not?.[hostName];
  if (reason !== undefined) {
    skip(title, reason);
    return;
  }
  it(title, async () => {
    const { window, isUsed } = await takeWindow(options);
    let hasPassed = false;
    try {
      await perform(title, window, options, isUsed, walk);
      hasPassed = true;
    } finally {
      await (hasPassed ? leaveWindow(window) : window.close());
    }
  });
}

async function perform(
  title: string,
  window: JourneyWindow,
  options: JourneyOptions,
  isConnected: boolean,
  walk: (journey: Journey) => Promise<void>,
): Promise<void> {
  const { stage, workbench, panel } = window;
  const { page } = workbench;
  const name = title.replaceAll(/[^a-z0-9]+/gi, '-').toLowerCase();
  const picture = (part: string): Promise<void> => takePicture(page, `${name}--${part}`);
  try {
    await (isConnected ? window.tidy(options) : window.load());
    const { service, baseUrl, key } = window.service;
    const { workspace, userFolder } = stage;
    const context = { service, baseUrl, key, workbench, panel, workspace, userFolder, isConnected };
    await walk({ ...context, picture });
  } catch (error) {
    const logs = { window: workbench.log, server: stage.server.output };
    await takeEvidence(page, `failed--${name}`, logs).catch(console.error);
    throw error;
  }
}
