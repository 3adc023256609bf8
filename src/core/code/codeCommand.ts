/** One small declaration a command. */
export interface CodeCommand {
  readonly id: string;
  /** What the model is asked. */
  readonly prompt: string;
  /** Where its result goes: an answer in the panel, a change of the code, or a file with tests. */
  readonly result: 'panel' | 'edit' | 'tests';
}

/** The commands on code. A command of a person's own is a prompt file, see `promptFile.ts`. */
export const codeCommands: Readonly<
  Record<'explain' | 'fix' | 'improve' | 'document' | 'writeTests', CodeCommand>
> = {
  explain: {
    id: 'explain',
    prompt: 'Explain this code: what it is for, how it works, and what one should look out for.',
    result: 'panel',
  },
  fix: {
    id: 'fix',
    prompt:
      'Fix what is wrong with this code: the problems that are listed, else the mistakes that you find. Change nothing else. Where nothing is wrong, repeat it as it is.',
    result: 'edit',
  },
  improve: {
    id: 'improve',
    prompt:
      'Make this code simpler, clearer and safer, without changing what it does for those who use it: names, parameters and results that others see stay.',
    result: 'edit',
  },
  document: {
    id: 'document',
    prompt:
      'Add documentation comments to this code, in the form that is usual for its language: what it is for, parameters, results and errors that its names do not tell. Keep the code itself as it is.',
    result: 'edit',
  },
  writeTests: {
    id: 'writeTests',
    prompt:
      'Write tests for this code: what it is for, its limits, and what goes wrong. Each test checks one behaviour through what others can call.',
    result: 'tests',
  },
};
