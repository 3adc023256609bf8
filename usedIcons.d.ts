import type { Plugin } from 'esbuild';

export declare const usedIcons: Plugin;
export declare function usedIconNames(): Promise<ReadonlySet<string>>;
