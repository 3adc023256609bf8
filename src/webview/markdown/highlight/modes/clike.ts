/** Those of the family that replies name. */
export {
  c,
  cpp,
  csharp,
  dart,
  java,
  kotlin,
  objectiveC,
  scala,
} from '@codemirror/legacy-modes/mode/clike';
