/** One of a dozen dialects, since replies don't specify one. */
export { standardSQL } from '@codemirror/legacy-modes/mode/sql';
