import { createWindowGenerator } from '../code/textGenerator.ts';
import type { CommandsOf } from '../commands.ts';
import type { ConnectionFeature } from '../connection/feature.ts';
import type { ContextFeature } from '../context/feature.ts';
import { noRepository } from '../workspace/git.ts';
import type { HostWindow } from '../workspace/window.ts';
import { CommitMessage } from './commitMessage.ts';

interface CommitNeeds {
  readonly connection: ConnectionFeature;
  readonly context: ContextFeature;
}

export function createCommit(
  window: HostWindow,
  { connection, context }: CommitNeeds,
): { readonly commands: CommandsOf<'commit'> } {
  const message = new CommitMessage({
    generator: createWindowGenerator(window, connection, context),
    requireModel: () => connection.modelFor('commit'),
    maySend: context.maySend,
    readRepository: window.node?.readRepository ?? noRepository,
    instructions: () => window.settings.current().instructions,
  });
  return {
    commands: {
      writeCommitMessage: (clicked) => message.write(clicked),
      stopCommitMessage: () => message.stop(),
    },
  };
}
