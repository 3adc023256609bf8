import { systemClock } from '../core/support/clock.ts';
import type { InstructionFile } from '../core/turn/prompt.ts';
import { Chat, type ChatOptions } from '../host/chat/chat.ts';
import type { ServiceAccess } from '../host/connection/serviceAccess.ts';
import { settingsOfModel } from '../host/settingValues.ts';
import type { Settings } from '../host/settings.ts';
import { paidUsage, type UsageByModel } from '../host/usage/usageTable.ts';

interface OpenChatOptions {
  readonly service: ServiceAccess;
  readonly settings: Settings;
  /** The tools that a turn gets now. */
  readonly tools: ChatOptions['tools'];
  readonly onToolsRefused: ChatOptions['onToolsRefused'];
  readonly prepare: ChatOptions['prepare'];
  /** Files of the workspace that instruct the model, as far as they are known. */
  readonly instructions: () => readonly InstructionFile[];
}

/** A chat that asks the service of the moment, by the settings of the moment. */
export function openChat(options: OpenChatOptions): Chat {
  const { service, settings, tools, onToolsRefused, prepare } = options;
  const used = (): UsageByModel => paidUsage(chat.conversation);
  const chat: Chat = new Chat({
    ...service,
    connect: () => service.connect(used),
    asSent: (request) => service.asSent(request, used),
    tools,
    onToolsRefused,
    prepare,
    clock: systemClock,
    settings(model) {
      const values = settings.current();
      const { instructions, stream } = values;
      const { contextWindow } = settingsOfModel(values, model);
      const requestOptions = settings.requestOptions(model);
      return {
        instructions,
        files: options.instructions(),
        stream,
        options: requestOptions,
        contextWindow,
      };
    },
    checkMessage: ({ text, attachments }) =>
      service.check([text, ...attachments.map((attachment) => attachment.text)]),
  });
  return chat;
}
