import { join } from 'node:path';
import ts from 'typescript';
import { DECLARATIONS } from './names.js';
import type { Snippet } from './snippet.js';

const ROOT = join(import.meta.dirname, '../../..');
const DECLARED = join(import.meta.dirname, 'declarations.d.ts');
const pathOf = (snippet: number) => join(import.meta.dirname, `snippet-${snippet}.ts`);

/** Compiles snippets, with the names that a reader is assumed to have. */
export function compileSnippets(snippets: readonly Snippet[]) {
  const texts = new Map([
    [DECLARED, { name: 'the declarations', code: DECLARATIONS }],
    ...snippets.map(({ name, code }, i) => [pathOf(i), { name, code: `${code}\nexport {};` }] as const),
  ]);
  const program = createProgram(texts);
  const checker = program.getTypeChecker();
  return {
    errors: (): readonly string[] =>
      [...texts].flatMap(([path, { name, code }]) =>
        ts.getPreEmitDiagnostics(program, program.getSourceFile(path)).map(({ messageText, start = 0 }) => {
          const line = code.slice(0, start).split('\n').length;
          return `${name}, line ${line} of it: ${ts.flattenDiagnosticMessageText(messageText, '\n')}`;
        }),
      ),
    /** The names of a snippet that it does not define. */
    assumedNames(snippet: number): ReadonlySet<string> {
      const names = new Set<string>();
      const visit = (node: ts.Node): void => {
        const symbol = ts.isShorthandPropertyAssignment(node)
          ? checker.getShorthandAssignmentValueSymbol(node)
          : ts.isIdentifier(node) && checker.getSymbolAtLocation(node);
        const isAssumed =
          symbol && symbol.declarations?.some(one => one.getSourceFile().fileName === DECLARED);
        if (isAssumed) names.add(symbol.name);
        ts.forEachChild(node, visit);
      };
      visit(program.getSourceFile(pathOf(snippet))!);
      return names;
    },
  };
}

function createProgram(texts: ReadonlyMap<string, { readonly code: string }>): ts.Program {
  const { config } = ts.readConfigFile(join(ROOT, 'tsconfig.json'), path => ts.sys.readFile(path)) as {
    config: object;
  };
  const { options } = ts.parseJsonConfigFileContent(config, ts.sys, ROOT);
  // Those of Angular are not yet what the language has.
  options.experimentalDecorators = true;
  const host = ts.createCompilerHost(options);
  const disk = { ...host };
  host.fileExists = path => texts.has(path) || disk.fileExists(path);
  host.getSourceFile = (path, ...rest) => {
    const text = texts.get(path);
    return text === undefined
      ? disk.getSourceFile(path, ...rest)
      : ts.createSourceFile(path, text.code, ts.ScriptTarget.ES2022, true);
  };
  return ts.createProgram([...texts.keys()], options, host);
}
