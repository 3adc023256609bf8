import { codeCommandOffers, type CodeCommandName } from '../core/code/codeCommands.ts';

/** The ids of commands by their names. */
function idsOf<Name extends string>(
  ...names: readonly Name[]
): { readonly [Key in Name]: `aside.${Key}` };
function idsOf(...names: readonly string[]): object {
  return Object.fromEntries(names.map((name) => [name, `aside.${name}`]));
}

/**
 * Every id that Aside contributes, except those on code, which `core/code/codeCommands.ts` declares.
 * `host/main.ts` handles them. A test compares them with `package.json`.
 */
export const commands = idsOf(
  'connect',
  'setApiKey',
  'removeApiKey',
  'selectModel',
  'selectService',
  'useDemo',
  'openConsole',
  'manageConnection',
  'newChat',
  'openInEditor',
  'ask',
  'stop',
  'stopAll',
  'retry',
  'setMode',
  'compare',
  'askAside',
  'addToChat',
  'addReviewCommentToChat',
  'openChat',
  'forkChat',
  'renameChat',
  'pinChat',
  'copyChat',
  'exportChat',
  'exportAllChats',
  'importChat',
  'importChats',
  'deleteChat',
  'deleteAllChats',
  'acceptEdit',
  'rejectEdit',
  'allowEdit',
  'denyEdit',
  'retryEdit',
  'writeCommitMessage',
  'stopCommitMessage',
  'reviewChanges',
  'fixReviewComment',
  'resolveReviewComment',
  'unresolveReviewComment',
  'deleteReviewComment',
  'deleteReviewComments',
  'explainTerminal',
  'explainLastCommand',
  'showRequest',
  'shortenChat',
  'manageTools',
  'showUsage',
  'resetUsage',
  'exportUsage',
  'deleteUsage',
  'setBudget',
  'showLog',
  'openWalkthrough',
  'help',
);

type CodeCommandId = `aside.${CodeCommandName}`;

export type CommandId = (typeof commands)[keyof typeof commands] | CodeCommandId;

export function codeCommandId(name: CodeCommandName): CodeCommandId {
  return `aside.${name}`;
}

/** The ids of all commands, those on code included. */
export function commandIds(): readonly CommandId[] {
  return [...Object.values(commands), ...codeCommandOffers.map(({ name }) => codeCommandId(name))];
}

/** Separate from the other settings, which aren't in the script that runs at startup. */
export const modelSetting = 'aside.model';

export const settingIds = {
  baseUrl: 'aside.baseUrl',
  consoleUrl: 'aside.consoleUrl',
  model: modelSetting,
  temperature: 'aside.temperature',
  topP: 'aside.topP',
  maxTokens: 'aside.maxTokens',
  stop: 'aside.stop',
  stream: 'aside.stream',
  instructions: 'aside.instructions',
  models: 'aside.models',
  currency: 'aside.currency',
  modelFor: 'aside.modelFor',
  budget: 'aside.budget',
  notify: 'aside.notify',
  'tools.enabled': 'aside.tools.enabled',
  'tools.approval': 'aside.tools.approval',
  'tools.maxRounds': 'aside.tools.maxRounds',
  requestTimeoutSeconds: 'aside.requestTimeoutSeconds',
} as const;

export const chatViewId = 'aside.chat';

/** Commands in the title of the view, which act on its chat and not on the focused tab. */
export const titleCommands = [
  'newChat',
  'openChat',
  'showRequest',
  'shortenChat',
  'exportChat',
] as const satisfies readonly (keyof typeof commands)[];

export function titleCommandId(
  name: (typeof titleCommands)[number],
): `${typeof chatViewId}.${typeof name}` {
  return `${chatViewId}.${name}`;
}

/** The types of tabs with pages. */
export const editors = {
  chat: 'aside.chatEditor',
  usage: 'aside.usageView',
  request: 'aside.requestView',
} as const;

/** The walkthrough, and the steps of it in their order. */
export const walkthrough = {
  id: 'aside.getStarted',
  steps: ['connect', 'model', 'selection', 'edit', 'approve', 'cost'],
} as const;

/** Keys that `when` clauses and steps of the walkthrough in `package.json` read. */
export const contextKeys = {
  /** Something of Aside was used in this window. */
  used: 'aside.used',
  /** A turn is running in the chat that commands act on. */
  running: 'aside.running',
  /** The chat that commands act on has a message. */
  hasChat: 'aside.hasChat',
  /** A request of any chat or command is running in this window. */
  requestsRunning: 'aside.requestsRunning',
  /** Code streams into the review in the active tab. */
  reviewStreaming: 'aside.reviewStreaming',
  /** The review in the active tab has hunks to accept or reject. */
  reviewOpen: 'aside.reviewOpen',
  /** The review in the active tab is a tool call, to allow or deny. */
  reviewOfCall: 'aside.reviewOfCall',
  /** An edit was rejected entirely, and can be tried again with a note. */
  editRejected: 'aside.editRejected',
  /** A commit message streams into the input of Source Control. */
  writingCommitMessage: 'aside.writingCommitMessage',
  hasReviewComments: 'aside.hasReviewComments',
  /** A service or the demo was connected. */
  connected: 'aside.connected',
  modelSelected: 'aside.modelSelected',
  /** A message was sent with code attached. */
  askedAboutCode: 'aside.askedAboutCode',
  /** The person allowed or denied a tool call. */
  toolDecided: 'aside.toolDecided',
  /** The person accepted or rejected an edit. */
  editDecided: 'aside.editDecided',
  /** The usage was shown, or a budget set. */
  usageSeen: 'aside.usageSeen',
  /** The condition of a walkthrough step that holds now, if the step was taken. */
  walkthroughRound: 'aside.walkthroughRound',
} as const;

/** Id of the review comments, which `when` clauses of their menus read. */
export const reviewCommentController = 'aside.reviewComments';

/** The vendor under which VS Code lists the models of the connected service. */
export const modelVendor = 'aside';

export const statusBarItem = 'aside.usage';

/** Scheme of proposed texts, so that no extension treats them as files. */
export const reviewScheme = 'aside-review';
