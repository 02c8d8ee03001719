import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';

const API = join(import.meta.dirname, 'api');

/**
 * The callbacks that people may give to this library, by the declaration that has them and their
 * name: each type of a function among the accepted types of all entries.
 */
export function callbacksOfApi(): readonly string[] {
  const found = new Set<string>();
  for (const page of readdirSync(API)) {
    const text = readFileSync(join(API, page), 'utf8');
    const code = [...text.matchAll(/```ts\n([^]*?)```/g)].map(([, block]) => block).join('\n');
    const file = ts.createSourceFile(page, code, ts.ScriptTarget.ES2022, true);
    const visit = (node: ts.Node): void => {
      if (ts.isFunctionTypeNode(node)) found.add(nameOf(node));
      ts.forEachChild(node, visit);
    };
    visit(file);
  }
  return [...found].sort();
}

/** The names of the declarations around a node, outermost first. */
function nameOf(node: ts.Node): string {
  const names: string[] = [];
  for (let at = node; !ts.isSourceFile(at); at = at.parent) {
    const { name } = at as { readonly name?: ts.Node };
    const isNaming =
      ts.isPropertySignature(at) ||
      ts.isPropertyDeclaration(at) ||
      ts.isParameter(at) ||
      ts.isTypeAliasDeclaration(at) ||
      ts.isInterfaceDeclaration(at) ||
      ts.isClassDeclaration(at) ||
      ts.isFunctionDeclaration(at) ||
      ts.isMethodSignature(at) ||
      ts.isVariableDeclaration(at);
    if (isNaming && name) names.unshift(name.getText());
  }
  return names.join('.');
}
