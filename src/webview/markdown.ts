/** The script that renders replies, which `main.tsx` loads while it waits for its first state. */
import './translations.ts';

export * from './markdown/index.ts';
