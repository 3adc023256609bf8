/** Settings that take work off the processor, none of which a test is about. */
export const lightSettings = {
  // The states of the pages check motion.
  'workbench.reduceMotion': 'on',
  // One language server instead of two, and no download of types.
  'typescript.tsserver.useSyntaxServer': 'never',
  'typescript.disableAutomaticTypeAcquisition': true,
};
