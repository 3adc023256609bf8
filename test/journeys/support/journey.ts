import type { LocalService, ServiceOptions } from '../../../src/local/service.ts';
import { startHttpService, type HttpService } from '../../support/httpService.ts';
import { hostName, hosts, type HostName } from '../../support/vscode/hosts.ts';
import { Workbench } from '../../support/vscode/workbench.ts';
import { isWanted, leaveOut } from './chosenJourneys.ts';
import { Panel } from './panel.ts';
import { takeEvidence, takePicture } from './pictures.ts';
import { Stage, type StageOptions } from './stage.ts';

/** The id of Aside's status bar entry in the page. */
export const usageItem = 'aside-chat.aside.aside.usage';

/** What the browser loads where it runs the extension. */
const workerScript = /aside-chat\.aside[^]*browser\.cjs/;

export interface Journey {
  readonly workbench: Workbench;
  readonly panel: Panel;
  /** The service on this machine. */
  readonly service: LocalService;
  readonly baseUrl: string;
  readonly key: string;
  readonly workspace: string;
  /** The user data folder of VS Code. */
  readonly userFolder: string;
  /** Saves a screenshot of the window, named after the journey. */
  readonly picture: (name: string) => Promise<void>;
}

export interface JourneyOptions extends StageOptions {
  readonly service?: ServiceOptions;
  /** Why a host cannot have this journey: there it is not declared, and the run says why. */
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
    leaveOut(title, reason);
    return;
  }
  it(title, async () => {
    const service = await startHttpService({ pace: 2, ...options.service });
    try {
      const stage = await Stage.set(options);
      await perform(title, stage, service, walk).finally(() => stage.strike());
    } finally {
      await service.close();
    }
  });
}

async function perform(
  title: string,
  stage: Stage,
  service: HttpService,
  walk: (journey: Journey) => Promise<void>,
): Promise<void> {
  const { workspace, userFolder, context, server } = stage;
  const page = await context.newPage();
  const workbench = new Workbench(page, usageItem);
  const panel = new Panel(workbench);
  const name = title.replaceAll(/[^a-z0-9]+/gi, '-').toLowerCase();
  const picture = (part: string): Promise<void> => takePicture(page, `${name}--${part}`);
  try {
    const loaded = hosts[hostName].inWorker ? page.waitForRequest(workerScript) : undefined;
    await workbench.open(stage.address);
    // It could run beside the server as well, and nobody would see it.
    await loaded;
    await walk({ ...service, workbench, panel, workspace, userFolder, picture });
  } catch (error) {
    await takeEvidence(page, `failed--${name}`, server.output).catch(console.error);
    throw error;
  }
}
