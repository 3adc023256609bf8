/** One small declaration a command. */
export interface CodeCommand {
  readonly id: string;
  /** What the model is asked. */
  readonly prompt: string;
  /** Where the answer goes. */
  readonly result: 'panel' | 'edit' | 'tests';
}

/** The commands on code that come with Aside. */
export const codeCommands: Readonly<
  Record<'explain' | 'fix' | 'improve' | 'document' | 'writeTests', CodeCommand>
> = {
  explain: { id: 'aside.explain', prompt: 'Explain this code.', result: 'panel' },
  fix: { id: 'aside.fix', prompt: 'Fix the problems of this code.', result: 'edit' },
  improve: { id: 'aside.improve', prompt: 'Improve this code.', result: 'edit' },
  document: { id: 'aside.document', prompt: 'Document this code.', result: 'edit' },
  writeTests: { id: 'aside.writeTests', prompt: 'Write tests for this code.', result: 'tests' },
};
