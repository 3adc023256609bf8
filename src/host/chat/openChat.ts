import { systemClock } from '../../core/support/clock.ts';
import type { Settings } from '../settings.ts';
import { ownSettings } from '../settingValues.ts';
import type { ServiceAccess } from '../connection/serviceAccess.ts';
import { Chat, type ChatOptions } from './chat.ts';

export interface ChatParts {
  readonly service: ServiceAccess;
  readonly settings: Settings;
  /** The tools that a turn gets now. */
  readonly tools: ChatOptions['tools'];
  readonly onToolsRefused: ChatOptions['onToolsRefused'];
}

/** A chat that asks the service of the moment, by the settings of the moment. */
export function openChat({ service, settings, tools, onToolsRefused }: ChatParts): Chat {
  return new Chat({
    ...service,
    tools,
    onToolsRefused,
    clock: systemClock,
    newId: () => crypto.randomUUID(),
    settings(model) {
      const values = settings.current();
      const { instructions, stream } = values;
      const { contextWindow } = ownSettings(values, model);
      return { instructions, stream, options: settings.requestOptions(model), contextWindow };
    },
    check: ({ text, attachments }) =>
      service.check([text, ...attachments.map((attachment) => attachment.text)]),
  });
}
