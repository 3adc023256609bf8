/** The views of tools, loaded with the first call. */
export { ChangedFiles } from './changedFiles.tsx';
export { Paused } from './paused.tsx';
export { ToolCalls } from './toolCalls.tsx';
