/** Languages of this family that replies use. */
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
