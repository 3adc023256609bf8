/** The script that renders replies, which `main.tsx` loads after its first lines. */
import './translations.ts';

export * from './markdown/index.ts';
