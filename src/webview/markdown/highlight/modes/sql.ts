/** One of a dozen dialects: a reply does not say which. */
export { standardSQL } from '@codemirror/legacy-modes/mode/sql';
