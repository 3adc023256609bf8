/** The key of a service that was given none. */
export const demoKey = 'sk-local-demo';
