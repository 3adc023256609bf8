import type { Plugin } from 'esbuild';

export declare function thirdPartyNotices(folder: string): Plugin;
export declare function noticeOf(
  folder: string,
): Promise<{ readonly name: string; readonly text: string }>;
