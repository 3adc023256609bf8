import type { Plugin } from 'esbuild';

export declare const leanTemml: Plugin;
