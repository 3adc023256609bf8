import {
  refusedOptions,
  requestOptions,
  settingsOfModel,
  takesEffort,
  readSettings,
  type SettingValues,
} from '../../src/host/platform/settingValues.ts';
import type { CurrentSettings } from '../../src/host/platform/settings.ts';

const defaults = readSettings(
  () => undefined,
  () => undefined,
);

/** Settings with these values, and defaults for the others. */
export function currentSettings(values: () => Partial<SettingValues>): CurrentSettings {
  const current = (): SettingValues => ({ ...defaults, ...values() });
  return {
    current,
    requestOptions: (model = current().model) => requestOptions(current(), model),
    refusedOptions: (model = current().model) => refusedOptions(current(), model),
    effortOf(model = current().model) {
      const entry = settingsOfModel(current(), model);
      return takesEffort(entry) ? { effort: entry.reasoningEffort } : undefined;
    },
  };
}
