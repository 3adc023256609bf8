import type { ContextFeature } from '../context/feature.ts';
import type { HostWindow } from '../workspace/window.ts';
import { Presets } from './presets.ts';

/** Creates presets. There is no command: a chat gets its preset in the composer. */
export function createPresets(
  { context }: HostWindow,
  { offers, identity, redact }: ContextFeature,
): Presets {
  return new Presets({ storage: context.globalStorageUri, offers, workspace: identity, redact });
}
