import rxjsX from 'eslint-plugin-rxjs-x';
import tseslint from 'typescript-eslint';

export default tseslint.config(
  // The site, the stores and the board are separate packages, with their own dependencies.
  // `*.ts` are programs that README and docs ask to save in a clone.
  {
    ignores: [
      '*.ts',
      '**/dist/',
      'coverage/',
      'node_modules/',
      '**/*.{js,cjs}',
      'docs/{api,node_modules}/',
      'docs/.vitepress/{*.ts,applications,theme,cache,dist}',
      'examples/stores/',
      'examples/angular/src/',
      'test/consumers/{angular,frameworks,rendering}/',
      'bench/angular/',
    ],
  },
  tseslint.configs.strictTypeChecked,
  tseslint.configs.stylisticTypeChecked,
  rxjsX.configs.recommended,
  {
    languageOptions: {
      parserOptions: { project: './tsconfig.json', tsconfigRootDir: import.meta.dirname + '/..' },
    },
    rules: {
      // A template that prints a number or undefined says what it means.
      '@typescript-eslint/restrict-template-expressions': 'off',
      // noUncheckedIndexedAccess requires `!` if an index is known to be in range.
      '@typescript-eslint/no-non-null-assertion': 'off',
      // `() => void list.push(x)` and handlers that return what they call read better in one line.
      '@typescript-eslint/no-confusing-void-expression': [
        'error',
        { ignoreArrowShorthand: true, ignoreVoidReturningFunctions: true },
      ],
      // A codec has the same name as its type.
      '@typescript-eslint/no-redeclare': 'off',
      // What a struct without optional fields has.
      '@typescript-eslint/no-generated-empty-object-type': 'off',
      // Payloads keep the names of the wire format.
      '@typescript-eslint/naming-convention': 'off',
      // rxjs's own overloads take void notifiers and unsubscribed inner streams that it flags.
      'rxjs-x/no-ignored-subscription': 'off',
      'rxjs-x/throw-error': 'off',
      // A line says one thing.
      'no-restricted-syntax': [
        'error',
        {
          selector: 'ObjectExpression > SpreadElement > ObjectExpression.argument',
          message: 'Write the properties themselves, one to a line.',
        },
        {
          selector: 'ArrayExpression > SpreadElement > ArrayExpression.argument',
          message: 'Write the elements themselves.',
        },
        {
          selector: ':not(ExpressionStatement, ForStatement) > AssignmentExpression',
          message: 'Assign in a statement, then use the variable.',
        },
        {
          selector: 'AssignmentExpression > :matches(ArrayPattern, ObjectPattern).left MemberExpression',
          message: 'Assign each field in a statement.',
        },
        {
          selector:
            ':matches(ForOfStatement, ForInStatement, ForStatement, WhileStatement) > IfStatement.body',
          message: 'Put braces around the condition: a loop and its condition are two lines.',
        },
        {
          selector: 'SpreadElement > TSAsExpression > ArrayExpression',
          message: 'Write the elements themselves.',
        },
      ],
      'no-nested-ternary': 'error',
      '@typescript-eslint/no-import-type-side-effects': 'error',
      // Prettier wraps code, but no comments.
      'max-len': ['error', { code: 1_000, comments: 100, ignorePattern: 'eslint-disable' }],
      // A function fits on a screen.
      'max-lines-per-function': ['error', { max: 60, skipBlankLines: true, skipComments: true }],
    },
  },
  {
    // There the longest functions are those of `describe`: lists of tests.
    files: ['test/**/*.{test,check,browser,proxy,couch,service,nats}.ts', 'test/**/in-browser.ts'],
    rules: { 'max-lines-per-function': 'off' },
  },
  {
    files: ['test/**', 'bench/**', 'examples/**'],
    rules: {
      '@typescript-eslint/no-floating-promises': ['error', { ignoreVoid: true }],
      '@typescript-eslint/prefer-promise-reject-errors': 'off',
      '@typescript-eslint/only-throw-error': 'off',
      '@typescript-eslint/no-empty-function': 'off',
    },
  },
);
