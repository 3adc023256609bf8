import { defineConfig } from 'oxlint';

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

/** A modal dialog beside the queue of the others could be answered by a press that was meant for one of them. */
const modalDialogs = {
  selector: 'Property[key.name="modal"]',
  message: 'Ask through host/platform/dialogs.ts.',
};

/** A message may have a text of other programs in it, which only `dialogs.ts` keeps from being a link. */
const shownMessages = {
  selector: 'MemberExpression[property.name=/^show(Information|Warning|Error)Message$/]',
  message: 'Show messages through host/platform/dialogs.ts.',
};

/** An object that is made only to be spread says nothing. */
const spreadLiterals = {
  selector: 'ObjectExpression > SpreadElement > ObjectExpression.argument',
  message: 'Write these properties in the object itself.',
};

/** The strict rules of typescript-eslint that need no option. */
const strictRules = [
  ...['await-thenable', 'no-array-delete', 'no-base-to-string', 'no-deprecated'],
  ...['no-duplicate-enum-values', 'no-duplicate-type-constituents', 'no-dynamic-delete'],
  ...['no-empty-object-type', 'no-explicit-any', 'no-extra-non-null-assertion'],
  ...['no-extraneous-class', 'no-for-in-array', 'no-generated-empty-object-type'],
  ...['no-implied-eval', 'no-invalid-void-type', 'no-meaningless-void-operator'],
  ...['no-misused-new', 'no-misused-promises', 'no-misused-spread', 'no-mixed-enums'],
  ...['no-namespace', 'no-non-null-asserted-nullish-coalescing'],
  ...['no-non-null-asserted-optional-chain', 'no-non-null-assertion'],
  ...['no-redundant-type-constituents', 'no-require-imports', 'no-this-alias'],
  ...['no-unnecessary-boolean-literal-compare', 'no-unnecessary-condition'],
  ...['no-unnecessary-template-expression', 'no-unnecessary-type-arguments'],
  ...['no-unnecessary-type-assertion', 'no-unnecessary-type-constraint'],
  ...['no-unnecessary-type-conversion', 'no-unnecessary-type-parameters', 'no-unsafe-argument'],
  ...['no-unsafe-assignment', 'no-unsafe-call', 'no-unsafe-declaration-merging'],
  ...['no-unsafe-enum-assignment', 'no-unsafe-enum-comparison', 'no-unsafe-function-type'],
  ...['no-unsafe-member-access', 'no-unsafe-return', 'no-unsafe-unary-minus'],
  ...['no-useless-default-assignment', 'no-wrapper-object-types', 'only-throw-error'],
  ...['prefer-as-const', 'prefer-literal-enum-member', 'prefer-namespace-keyword'],
  ...['prefer-promise-reject-errors', 'prefer-reduce-type-parameter', 'prefer-return-this-type'],
  ...['related-getter-setter-pairs', 'require-await', 'triple-slash-reference', 'unbound-method'],
  ...['unified-signatures', 'use-unknown-in-catch-callback-variable', 'consistent-type-imports'],
];

export default defineConfig({
  plugins: ['typescript'],
  jsPlugins: [{ name: 'eslint-js', specifier: 'oxlint-plugin-eslint' }],
  categories: { correctness: 'off' },
  options: { typeAware: true, denyWarnings: true, reportUnusedDisableDirectives: 'error' },
  ignorePatterns: ['dist/', 'out/', '.vscode-test/', 'test/bench/rivals/', '**/*.js'],
  rules: {
    ...Object.fromEntries(strictRules.map((rule) => [`typescript/${rule}`, 'error'])),
    'typescript/ban-ts-comment': ['error', { minimumDescriptionLength: 10 }],
    'typescript/consistent-type-assertions': ['error', { assertionStyle: 'never' }],
    'typescript/no-confusing-void-expression': ['error', { ignoreArrowShorthand: true }],
    'typescript/no-floating-promises': 'error',
    'typescript/restrict-plus-operands': [
      'error',
      {
        allowAny: false,
        allowBoolean: false,
        allowNullish: false,
        allowNumberAndString: false,
        allowRegExp: false,
      },
    ],
    'typescript/restrict-template-expressions': ['error', { allowNumber: true }],
    'typescript/return-await': ['error', 'error-handling-correctness-only'],
    'typescript/switch-exhaustiveness-check': [
      'error',
      { considerDefaultExhaustiveForUnions: true },
    ],
    eqeqeq: 'error',
    'no-array-constructor': 'error',
    'no-unused-expressions': 'error',
    'no-unused-vars': 'error',
    'no-useless-constructor': 'error',
    'no-var': 'error',
    'prefer-const': 'error',
    'prefer-rest-params': 'error',
    'prefer-spread': 'error',
    'eslint-js/no-restricted-syntax': ['error', focusedTests, spreadLiterals],
  },
  overrides: [
    {
      files: ['src/**'],
      rules: {
        'typescript/no-floating-promises': ['error', { ignoreVoid: false, checkThenables: true }],
        'no-empty': 'error',
        'eslint-js/no-restricted-syntax': [
          'error',
          ...ignoredErrors,
          ...passedTexts,
          modalDialogs,
          shownMessages,
          spreadLiterals,
        ],
      },
    },
    {
      files: ['src/host/platform/dialogs.ts'],
      rules: {
        'eslint-js/no-restricted-syntax': [
          'error',
          ...ignoredErrors,
          ...passedTexts,
          modalDialogs,
          spreadLiterals,
        ],
      },
    },
    {
      files: ['src/host/platform/dialogs.ts'],
      rules: {
        'eslint-js/no-restricted-syntax': [
          'error',
          ...ignoredErrors,
          ...passedTexts,
          spreadLiterals,
        ],
      },
    },
  ],
});
