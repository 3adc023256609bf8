import type * as l10n from '@vscode/l10n';

/** `vscode.l10n`, and whatever looks texts up as it does. The import lets `npm run l10n` find them. */
interface L10n {
  readonly t: (message: string) => ReturnType<typeof l10n.t>;
}

/** A text in the language that VS Code is set to. */
type LocalizedText = (l10n: L10n) => string;

/** Properties of a command that VS Code needs as soon as a window opens. */
interface CodeCommandOffer<Name extends string> {
  /** Id without `aside.`, also typed after a slash. */
  readonly name: Name;
  /** Title in the light bulb menu of a problem; undefined if it is not offered there. */
  readonly onProblem?: LocalizedText;
  /** Title in the light bulb menu of a symbol name; undefined if it is not offered there. */
  readonly onSymbol?: LocalizedText;
}

const offers = [
  { name: 'fix', onProblem: (l10n) => l10n.t('Fix with Aside') },
  { name: 'explain', onProblem: (l10n) => l10n.t('Explain with Aside') },
  { name: 'improve' },
  { name: 'document', onSymbol: (l10n) => l10n.t('Document with Aside') },
  { name: 'writeTests' },
  { name: 'edit' },
] as const satisfies readonly CodeCommandOffer<string>[];

/** A command's id without `aside.`, also typed after a slash. */
export type CodeCommandName = (typeof offers)[number]['name'];

/**
 * The names of the code commands and their light bulb titles, in the order of the light bulb. They
 * are separate from the tasks to keep the script small that runs when a window opens.
 */
export const codeCommandOffers: readonly CodeCommandOffer<CodeCommandName>[] = offers;

/** A code command: its title, its task for the model, and the destination of the result. */
export interface CodeCommand {
  /** English title, as in `package.nls.json`. */
  readonly title: string;
  readonly description: LocalizedText;
  /**
   * Destination of the result: a reply in the chat, a change of the code, or a file with its tests.
   * A command whose result is not a reply changes files, and needs a trusted workspace.
   */
  readonly result: 'chat' | 'edit' | 'tests';
  /**
   * The task for the model; empty if the person types it. Localized only if the person sees it, as
   * their message in the chat.
   */
  readonly instruction: LocalizedText;
  /** Replaces the task if the command is about a problem and its result is a reply. */
  readonly problemInstruction?: LocalizedText;
  /** True if the problems that VS Code found in the code are sent with it. */
  readonly sendsProblems?: boolean;
}

/**
 * The commands on code, in the order of the slash list. A new one needs an entry here, an offer
 * above, and its command and menu items in `package.json`; it needs further code only if its result
 * goes somewhere new. Users' own commands are prompt files, see `frontMatter.ts`.
 */
export const codeCommands: Readonly<Record<CodeCommandName, CodeCommand>> = {
  explain: {
    title: 'Explain',
    description: (l10n) => l10n.t('Explain the code'),
    result: 'chat',
    instruction: (l10n) =>
      l10n.t('Explain this code: what it is for, how it works, and what to look out for.'),
    problemInstruction: (l10n) => l10n.t('Explain this problem and how to fix it.'),
  },
  fix: {
    title: 'Fix',
    description: (l10n) => l10n.t('Fix the code'),
    result: 'edit',
    instruction: () =>
      'Fix what is wrong with this code: the listed problems, or else the mistakes you find. Change nothing else. If nothing is wrong, repeat it as it is.',
    sendsProblems: true,
  },
  improve: {
    title: 'Improve',
    description: (l10n) => l10n.t('Improve the code'),
    result: 'edit',
    instruction: () =>
      'Make this code simpler, clearer and safer without changing what it does for its callers: keep the names, parameters and results that other code uses.',
  },
  document: {
    title: 'Document',
    description: (l10n) => l10n.t('Document the code'),
    result: 'edit',
    instruction: () =>
      'Add documentation comments to this code, in the usual form for its language: its purpose, and the parameters, results and errors that its names do not explain. Keep the code itself as it is.',
  },
  writeTests: {
    title: 'Write Tests',
    description: (l10n) => l10n.t('Write tests for the code'),
    result: 'tests',
    instruction: () =>
      'Write tests for this code: what it is for, its limits, and what can go wrong. Each test checks one behavior through the public interface.',
  },
  edit: {
    title: 'Edit…',
    description: (l10n) => l10n.t('Change the code as you describe'),
    result: 'edit',
    instruction: () => '',
  },
};

/** `/plan`, which is about the chat. Its texts are sent as messages of the person. */
export const planCommand = {
  name: 'plan',
  description: (l10n) => l10n.t('Plan as a task list before anything is changed'),
  instruction: (l10n) =>
    l10n.t(
      'Write a plan for this, and change nothing yet. Read what you need, then reply with a task list: one line `- [ ] …` for each step, in order.',
    ),
  start: (l10n) =>
    l10n.t(
      'Carry out the plan, step by step. After each step, repeat the task list with the finished steps ticked: `- [x] …`.',
    ),
} as const satisfies Readonly<Record<string, LocalizedText | string>>;
