import tseslint from 'typescript-eslint';

/** `.only` would silently skip the other tests, and `.skip` would hide a failure. */
const focusedTests = {
  selector:
    'CallExpression > MemberExpression.callee[object.name=/^(describe|it|suite|test)$/][property.name=/^(only|skip)$/]',
  message: 'Run every test: no .only, no .skip.',
};

/** An error that is thrown away here would be seen by nobody. */
const ignoredErrors = [
  'CallExpression[callee.property.name=/^(catch|then)$/] > ArrowFunctionExpression[params.length=0] > Identifier.body[name="undefined"]',
  'CallExpression[callee.property.name=/^(catch|then)$/] > ArrowFunctionExpression[params.length=0] > BlockStatement.body[body.length=0]',
].map((selector) => ({
  selector,
  message: 'Report the error with background or reported, or say why none has to be: orUndefined.',
}));

/** A text is looked up where it is needed: what hands `l10n` on has it in each signature on the way. */
const passedTexts = [
  'ImportDeclaration[source.value="vscode"] > ImportSpecifier[imported.name="l10n"]',
  'ObjectExpression > Property[key.name="l10n"]',
  'TSPropertySignature[key.name="l10n"]',
].map((selector) => ({ selector, message: 'Call vscode.l10n.t where the text is needed.' }));

/** A message may have a text of other programs in it, which only `dialogs.ts` keeps from being a link. */
const shownMessages = {
  selector: 'MemberExpression[property.name=/^show(Information|Warning|Error)Message$/]',
  message: 'Show messages through host/dialogs.ts.',
};

/** An object that is made only to be spread says nothing. */
const spreadLiterals = {
  selector: 'ObjectExpression > SpreadElement > ObjectExpression.argument',
  message: 'Write these properties in the object itself.',
};

export default tseslint.config(
  {
    ignores: [
      ...['dist/', 'out/', '.vscode-test/', 'node_modules/', 'test/bench/rivals/'],
      ...['**/*.js', '!eslint.config.js'],
    ],
  },
  ...tseslint.configs.strictTypeChecked,
  {
    // One program of all files, which takes two thirds of the time of one for each of the projects.
    languageOptions: { parserOptions: { project: './build/tsconfig.lint.json' } },
    linterOptions: { reportUnusedDisableDirectives: 'error' },
    rules: {
      '@typescript-eslint/consistent-type-imports': 'error',
      '@typescript-eslint/switch-exhaustiveness-check': [
        'error',
        { considerDefaultExhaustiveForUnions: true },
      ],
      '@typescript-eslint/restrict-template-expressions': ['error', { allowNumber: true }],
      '@typescript-eslint/no-confusing-void-expression': ['error', { ignoreArrowShorthand: true }],
      '@typescript-eslint/consistent-type-assertions': ['error', { assertionStyle: 'never' }],
      eqeqeq: 'error',
      'no-restricted-syntax': ['error', focusedTests, spreadLiterals],
    },
  },
  {
    files: ['src/**'],
    rules: {
      '@typescript-eslint/no-floating-promises': [
        'error',
        { ignoreVoid: false, checkThenables: true },
      ],
      'no-empty': 'error',
      'no-restricted-syntax': [
        'error',
        ...ignoredErrors,
        ...passedTexts,
        shownMessages,
        spreadLiterals,
      ],
    },
  },
  {
    files: ['src/host/dialogs.ts'],
    rules: {
      'no-restricted-syntax': ['error', ...ignoredErrors, ...passedTexts, spreadLiterals],
    },
  },
  { files: ['eslint.config.js'], ...tseslint.configs.disableTypeChecked },
);
