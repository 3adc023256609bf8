import { toolCharacters } from '../core/turn/prompt.ts';
import { chatTools } from '../host/chat/chatSettings.ts';
import { LastMode } from '../host/chat/modeModel.ts';
import { lazyMethods, type Lazy } from '../core/support/lazy.ts';
import { chatCommands } from '../host/panel/feature.ts';
import { commandRunner, type RunCommand } from '../host/commands.ts';
import type { ShownChats } from './chats.ts';
import type { Features } from './features.ts';
import type { WindowScope } from './windowScope.ts';

/**
 * Runs commands by the features that handle them. A new command needs no line here.
 *
 * @param onWillRun called before each command, with its id
 */
export function createCommandRunner(
  scope: WindowScope,
  features: Features,
  { tabs, panel }: ShownChats,
  onWillRun: (id: string) => void,
): RunCommand {
  const { window, connection, chats } = scope;
  const { running } = connection;
  const { add: attach } = lazyMethods(features.attachments.load, 'add');
  const { forTurn } = lazyMethods(features.tools.load, 'forTurn');
  const { attachments } = lazyMethods(features.comments.load, 'attachments');
  const pickers = () => connection.ui.load().then(({ picker }) => picker);
  const { pickFurther } = lazyMethods(pickers, 'pickFurther');
  const ofChats = chatCommands({
    chats,
    panel,
    tabs,
    running,
    attach,
    commentAttachments: attachments,
    pickFurther,
    lastMode: new LastMode(window.context.globalState),
    async toolsOf(open, mode) {
      const { id } = open.preset.model.current();
      if (mode === 'chat' || !connection.tools.allows(id)) return { count: 0, tokens: 0 };
      const { toolbox } = await forTurn();
      const definitions = chatTools(toolbox, open, () => mode)?.definitions ?? [];
      const tokens = connection.ratios.estimate(id, toolCharacters(definitions), 'prompt');
      return { count: definitions.length, tokens };
    },
  });
  return commandRunner({
    features: {
      chat: () => ofChats,
      async connection() {
        const { commandsFor } = await connection.ui.load();
        return commandsFor(() => chats.reveal(false));
      },
      history: commandsOf(features.history),
      review: commandsOf(features.review),
      code: commandsOf(features.code),
      commit: commandsOf(features.commit),
      comments: commandsOf(features.comments),
      terminal: commandsOf(features.terminal),
      request: commandsOf(features.request),
      tools: commandsOf(features.tools),
      usage: commandsOf(features.usage),
      help: commandsOf(features.help),
    },
    runOnCode: lazyMethods(features.code.load, 'run').run,
    showError: (error, what) => window.errors.show(error, what),
    onWillRun,
  });
}

/** Loads a feature when one of its commands first runs. */
function commandsOf<Commands>(
  feature: Lazy<{ readonly commands: Commands }>,
): () => Promise<Commands> {
  return async () => (await feature.load()).commands;
}
