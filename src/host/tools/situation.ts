import * as vscode from 'vscode';
import type { KnownSituation } from '../../core/tools/action.ts';
import { deniedPlaces } from '../../core/tools/deniedPlaces.ts';
import type { Surroundings } from '../../core/tools/requestedPath.ts';
import { openFolders, toLocation } from './location.ts';
import type { Machine } from './machine.ts';
import { ownPlaces } from './ownPlaces.ts';

export interface SituationNeeds {
  readonly context: Pick<vscode.ExtensionContext, 'globalStorageUri' | 'storageUri' | 'logUri'>;
  readonly machine: Machine | undefined;
  readonly askAll: () => boolean;
  readonly tainted: () => boolean;
}

/** Tells what the policy must know of VS Code, anew at each call. */
export function situationOf({
  context,
  machine,
  askAll,
  tainted,
}: SituationNeeds): () => KnownSituation & Surroundings {
  const { globalStorageUri, storageUri, logUri } = context;
  const others = [storageUri, logUri].map((uri) => uri && toLocation(uri));
  const denied = deniedPlaces(
    machine?.homes ?? [],
    ownPlaces(toLocation(globalStorageUri), others),
  );
  return () => ({
    trusted: vscode.workspace.isTrusted,
    askAll: askAll(),
    tainted: tainted(),
    folders: openFolders(),
    platform: machine?.platform ?? 'linux',
    home: machine?.homes.at(-1),
    denied,
  });
}
