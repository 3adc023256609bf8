import { systemClock } from '../../core/support/clock.ts';
import type { Consents } from '../approval/consents.ts';
import type { ConnectionFeature } from '../connection/feature.ts';
import type { HostWindow } from '../workspace/window.ts';
import { CallerApproval } from './callers.ts';
import { listedModels, updateModels } from './listedModels.ts';
import { ModelProvider } from './modelProvider.ts';

/** The models of the connected services for VS Code's own chat and for other extensions. */
export function createModelProvider(
  { settings, errors }: HostWindow,
  connection: ConnectionFeature,
  consents: Consents,
): ModelProvider {
  const { service, running, choice, describe } = connection;
  return new ModelProvider({
    service: { ...service, describe },
    settings,
    clock: systemClock,
    approval: new CallerApproval({ consents }),
    running,
    offered: () => listedModels(connection),
    current: () => choice.current().id,
    update: () => updateModels(errors, connection),
  });
}
