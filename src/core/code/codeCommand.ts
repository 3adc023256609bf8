/** The declaration of a code command. */
export interface CodeCommand {
  readonly id: string;
  /** The prompt for the model. */
  readonly prompt: string;
  /**
   * Where its result is shown: as a reply in the panel, as an edit of the code, or as a test file.
   */
  readonly result: 'panel' | 'edit' | 'tests';
}

/** The built-in code commands. Custom commands are prompt files, see `promptFile.ts`. */
export const codeCommands: Readonly<
  Record<'explain' | 'fix' | 'improve' | 'document' | 'writeTests', CodeCommand>
> = {
  explain: {
    id: 'explain',
    prompt: 'Explain this code: what it is for, how it works, and what to look out for.',
    result: 'panel',
  },
  fix: {
    id: 'fix',
    prompt:
      'Fix what is wrong with this code: the listed problems, or else the mistakes you find. Change nothing else. If nothing is wrong, repeat it as it is.',
    result: 'edit',
  },
  improve: {
    id: 'improve',
    prompt:
      'Make this code simpler, clearer and safer without changing what it does for its callers: keep the names, parameters and results that other code uses.',
    result: 'edit',
  },
  document: {
    id: 'document',
    prompt:
      'Add documentation comments to this code, in the usual form for its language: its purpose, and the parameters, results and errors that its names do not explain. Keep the code itself as it is.',
    result: 'edit',
  },
  writeTests: {
    id: 'writeTests',
    prompt:
      'Write tests for this code: what it is for, its limits, and what can go wrong. Each test checks one behavior through the public interface.',
    result: 'tests',
  },
};
