import { relative } from 'node:path';
import ts from 'typescript';

type Named = ts.Declaration & { readonly name?: ts.Node };

/**
 * What an entry of the package exports, as declared in a `.d.ts`: each export by name, then what is
 * not exported, but what the exports are made of. A change of any of it may break a user.
 */
export function apiReport(title: string, entry: string, root: string): string {
  const options = { module: ts.ModuleKind.NodeNext, target: ts.ScriptTarget.ES2022, types: ['node'] };
  const program = ts.createProgram([entry], options);
  const checker = program.getTypeChecker();
  const original = (symbol: ts.Symbol) =>
    symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol;
  const module = checker.getSymbolAtLocation(program.getSourceFile(entry)!)!;

  const exported = new Map(checker.getExportsOfModule(module).map(symbol => [original(symbol), symbol.name]));
  const inner = new Map<ts.Symbol, string>();
  const todo = [...exported.keys()];
  for (let symbol = todo.shift(); symbol; symbol = todo.shift()) {
    for (const found of symbolsIn(symbol)) {
      if (exported.has(found) || inner.has(found) || !isOfPackage(found)) continue;
      inner.set(found, found.name);
      todo.push(found);
    }
  }
  return `# ${title}\n\n${block(exported)}\n\n## What these are made of\n\n${block(inner)}\n`;

  function block(symbols: ReadonlyMap<ts.Symbol, string>): string {
    const texts = [...symbols].map(([symbol, name]) => [name, textOf(symbol)] as const);
    texts.sort(([a, textA], [b, textB]) => (a < b || (a === b && textA < textB) ? -1 : 1));
    return ['```ts', ...texts.map(([, text]) => text), '```'].join('\n');
  }

  function declarationsOf(symbol: ts.Symbol): readonly Named[] {
    return (symbol.declarations ?? []).filter(node => !ts.isTypeParameterDeclaration(node));
  }

  /**
   * Whether it is declared at the top of a file of the package: members and parameters are part of
   * that.
   */
  function isOfPackage(symbol: ts.Symbol): boolean {
    return declarationsOf(symbol).some(node => {
      const parent = statementOf(node).parent as ts.Node | undefined;
      return parent && ts.isSourceFile(parent) && !relative(root, parent.fileName).startsWith('..');
    });
  }

  function symbolsIn(symbol: ts.Symbol): readonly ts.Symbol[] {
    const found: ts.Symbol[] = [];
    const visit = (node: ts.Node): void => {
      const used = ts.isIdentifier(node) ? checker.getSymbolAtLocation(node) : undefined;
      if (used) found.push(original(used));
      ts.forEachChild(node, visit);
    };
    for (const node of declarationsOf(symbol)) visit(node);
    return found;
  }
}

/** What is printed of a declaration: of a `const`, the statement. */
function statementOf(node: ts.Node): ts.Node {
  return ts.isVariableDeclaration(node) ? node.parent.parent : node;
}

const printer = ts.createPrinter({ removeComments: true });

function textOf(symbol: ts.Symbol): string {
  const nodes = [...new Set((symbol.declarations ?? []).map(statementOf))];
  const texts = nodes.map(node => printer.printNode(ts.EmitHint.Unspecified, node, node.getSourceFile()));
  return texts.map(text => text.replace(/^(export )?(declare )?/, '')).join('\n');
}
