/** Rare languages, which take a fifth less space as a single script. */
export { clojure } from '@codemirror/legacy-modes/mode/clojure';
export { groovy } from '@codemirror/legacy-modes/mode/groovy';
export { haskell } from '@codemirror/legacy-modes/mode/haskell';
export { julia } from '@codemirror/legacy-modes/mode/julia';
export { lua } from '@codemirror/legacy-modes/mode/lua';
export { fSharp, oCaml } from '@codemirror/legacy-modes/mode/mllike';
export { perl } from '@codemirror/legacy-modes/mode/perl';
export { r } from '@codemirror/legacy-modes/mode/r';
export { vb } from '@codemirror/legacy-modes/mode/vb';
export { verilog } from '@codemirror/legacy-modes/mode/verilog';
