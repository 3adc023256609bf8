/** Versions of code-server. Version 4.x contains VS Code 1.x. */
export const versions = { newest: '4.139.1', oldest: '4.106.3' } as const;
