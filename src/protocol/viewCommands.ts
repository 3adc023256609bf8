/** Commands that buttons of the view may run. None of them approves anything (threats: I6). */
export const viewCommands = [
  'connect',
  'useDemo',
  'openWalkthrough',
  'setApiKey',
  'selectModel',
  'setMode',
  'askAside',
  'manageTools',
  'openConsole',
  'newChat',
  'showLog',
] as const;

/** Those with a picker or an input box, after which the person continues to type in the composer. */
export const leadBackToComposer: readonly (typeof viewCommands)[number][] = [
  'connect',
  'selectModel',
  'setMode',
  'setApiKey',
  'useDemo',
  'manageTools',
];
