/** The versions of code-server: VS Code is 1 where these are 4. */
export const versions = { newest: '4.139.1', oldest: '4.106.3' } as const;
