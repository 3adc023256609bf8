/** A style sheet, as the text that the build puts in its place. */
declare module '*.css' {
  const text: string;
  export default text;
}
