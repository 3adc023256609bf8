/** Without the languages that are made of it. */
export { verilog } from '@codemirror/legacy-modes/mode/verilog';
