import { systemClock } from '../core/support/clock.ts';
import type { InstructionFile } from '../core/turn/prompt.ts';
import { Chat, type ChatOptions } from '../host/chat/chat.ts';
import type { ServiceAccess } from '../host/connection/serviceAccess.ts';
import { ownSettings } from '../host/settingValues.ts';
import type { Settings } from '../host/settings.ts';
import { paidUsage, type UsageByModel } from '../host/usage/usageTable.ts';

interface ChatParts {
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
export function openChat(parts: ChatParts): Chat {
  const { service, settings, tools, onToolsRefused, prepare } = parts;
  const used = (): UsageByModel => paidUsage(chat.conversation);
  const chat: Chat = new Chat({
    ...service,
    connect: () => service.connect(used),
    asSent: (request) => service.asSent(request, used),
    tools,
    onToolsRefused,
    prepare,
    clock: systemClock,
    newId: () => crypto.randomUUID(),
    settings(model) {
      const values = settings.current();
      const { instructions, stream } = values;
      const { contextWindow } = ownSettings(values, model);
      const options = settings.requestOptions(model);
      return { instructions, files: parts.instructions(), stream, options, contextWindow };
    },
    check: ({ text, attachments }) =>
      service.check([text, ...attachments.map((attachment) => attachment.text)]),
  });
  return chat;
}
