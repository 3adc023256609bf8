import type { Plugin } from 'esbuild';

export declare const leanParser: Plugin;
