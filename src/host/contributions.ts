/**
 * Every id that Aside contributes, in one typed place. A test holds it against `package.json`, so
 * an id that only one of the two knows does not get far.
 */
export const commands = {
  connect: 'aside.connect',
  setApiKey: 'aside.setApiKey',
  removeApiKey: 'aside.removeApiKey',
  selectModel: 'aside.selectModel',
  useDemo: 'aside.useDemo',
  openConsole: 'aside.openConsole',
  newChat: 'aside.newChat',
  ask: 'aside.ask',
  stop: 'aside.stop',
  retry: 'aside.retry',
  explain: 'aside.explain',
  addToChat: 'aside.addToChat',
  showRequest: 'aside.showRequest',
  manageTools: 'aside.manageTools',
  showUsage: 'aside.showUsage',
  resetUsage: 'aside.resetUsage',
  showLog: 'aside.showLog',
} as const;

export const settingIds = {
  baseUrl: 'aside.baseUrl',
  consoleUrl: 'aside.consoleUrl',
  model: 'aside.model',
  temperature: 'aside.temperature',
  topP: 'aside.topP',
  maxTokens: 'aside.maxTokens',
  stop: 'aside.stop',
  stream: 'aside.stream',
  instructions: 'aside.instructions',
  models: 'aside.models',
  currency: 'aside.currency',
  'tools.enabled': 'aside.tools.enabled',
  'tools.approval': 'aside.tools.approval',
  'tools.maxRounds': 'aside.tools.maxRounds',
  requestTimeoutSeconds: 'aside.requestTimeoutSeconds',
} as const;

export const views = { chat: 'aside.chat' } as const;

export const viewContainers = { aside: 'aside' } as const;

/** Keys that `when` clauses of `package.json` read. */
export const contextKeys = {
  /** A turn is running. */
  running: 'aside.running',
} as const;

export const statusBarItem = 'aside.usage';
