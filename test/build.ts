import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, relative, resolve, sep } from 'node:path';
import { build, transform, type Plugin } from 'esbuild';
import ts from 'typescript';

const ROOT = join(import.meta.dirname, '..');
/** Where to build to. */
const DIST = resolve(process.argv[2] ?? join(ROOT, 'dist'));
const ENTRIES = [
  '',
  'integrations/angular/',
  'tools/angular-testing/',
  'integrations/browser/',
  'tools/emulator/',
  'integrations/fleet/',
  'integrations/lobby-server/',
  'tools/marbles/',
  'integrations/opentelemetry/',
  'integrations/services/',
  'integrations/views/',
  'transport/node/',
].map(folder => `${folder}index.d.ts`);
ENTRIES.push('codecs.d.ts');

rmSync(DIST, { recursive: true, force: true });
// For bundlers, one module stays one file: they leave out what is not used.
const tsc = [join(ROOT, 'node_modules/typescript/bin/tsc'), '-p', join(ROOT, 'src/tsconfig.build.json')];
execFileSync(process.execPath, [...tsc, '--outDir', DIST], { stdio: 'inherit' });
writeFpTs();
await bundleForNode();
await bundleWorkbench();
const WHOLE = [
  'client/group',
  'stream/feed',
  'stream/timing',
  'stream/transition',
  'integrations/angular',
  'integrations/browser',
  'integrations/opentelemetry',
  'integrations/services',
  'integrations/views',
  'tools/angular-testing',
  'tools/emulator',
  'tools/marbles',
];
for (const room of WHOLE) await bundleRoom(room);
// `ng add` runs these as they are.
cpSync(join(ROOT, 'src/integrations/angular/schematics'), join(DIST, 'schematics'), { recursive: true });
removeModules('integrations/fleet', 'integrations/lobby-server', 'transport/node');
removeUnreachable();

/**
 * Metro refuses `imports` of packages: for React Native, `#fp-ts/Either` has to be a file of ours.
 */
function writeFpTs(): void {
  mkdirSync(join(DIST, 'fp-ts'));
  writeFileSync(join(DIST, 'fp-ts/Either.js'), "export * from 'fp-ts/lib/Either.js';\n");
}

/** Node reads a few files much faster than a hundred, and never needs to leave any out. */
async function bundleForNode(): Promise<void> {
  await build({
    absWorkingDir: join(ROOT, 'src'),
    entryPoints: {
      index: 'index.ts',
      codecs: 'codecs.ts',
      angular: 'integrations/angular/index.ts',
      'angular-testing': 'tools/angular-testing/index.ts',
      browser: 'integrations/browser/index.ts',
      emulator: 'tools/emulator/index.ts',
      fleet: 'integrations/fleet/index.ts',
      'lobby-server': 'integrations/lobby-server/index.ts',
      node: 'transport/node/index.ts',
      opentelemetry: 'integrations/opentelemetry/index.ts',
      services: 'integrations/services/index.ts',
      views: 'integrations/views/index.ts',
      'lobby-rx': 'tools/cli/main.ts',
    },
    outdir: join(DIST, 'node'),
    bundle: true,
    splitting: true,
    chunkNames: 'shared-[hash]',
    packages: 'external',
    platform: 'node',
    format: 'esm',
    target: 'node20',
    logLevel: 'warning',
    alias: { '#fetch': './transport/node/platform-fetch.ts', '#fp-ts/Either': 'fp-ts/lib/Either.js' },
  });
}

/** The page of the workbench is one file, which only the command line reads. */
async function bundleWorkbench(): Promise<void> {
  const folder = join(ROOT, 'src/tools/workbench/page');
  const { outputFiles } = await build({
    entryPoints: [join(folder, 'main.tsx')],
    bundle: true,
    minify: true,
    write: false,
    platform: 'browser',
    format: 'esm',
    target: 'es2022',
    logLevel: 'warning',
    jsx: 'automatic',
    jsxImportSource: 'preact',
    alias: { '#fetch': join(ROOT, 'src/transport/platform-fetch.ts') },
    define: { PROGRAM: JSON.stringify(readFileSync(join(folder, 'program.txt'), 'utf8')) },
  });
  const script = outputFiles[0]!.text.replaceAll('</script', '<\\/script');
  const styles = readFileSync(join(folder, 'workbench.css'), 'utf8');
  const { code } = await transform(styles, { loader: 'css', minify: true });
  const html = readFileSync(join(folder, 'workbench.html'), 'utf8').replace(/\n\s+/g, '\n');
  writeFileSync(
    join(DIST, 'node/workbench.html'),
    html.replace('</style>', () => `${code}</style>`).replace('</script>', () => `${script}</script>`),
  );
}

/** Rooms that are used as a whole, or not at all: a bundler has nothing to leave out of them. */
async function bundleRoom(room: string): Promise<void> {
  const folder = join(DIST, room);
  const outside: Plugin = {
    name: 'other rooms stay where they are',
    setup: bundling =>
      bundling.onResolve({ filter: /^\./ }, ({ path, resolveDir, kind }) => {
        const target = resolve(resolveDir, path);
        if (kind === 'entry-point' || target.startsWith(folder + sep)) return undefined;
        return { path: relative(folder, target), external: true };
      }),
  };
  const { outputFiles } = await build({
    absWorkingDir: DIST,
    entryPoints: [join(folder, 'index.js')],
    bundle: true,
    packages: 'external',
    plugins: [outside],
    platform: 'neutral',
    format: 'esm',
    target: 'es2022',
    write: false,
    logLevel: 'warning',
    outfile: join(folder, 'index.js'),
  });
  removeModules(room);
  for (const { path, contents } of outputFiles) writeFileSync(path, contents);
}

/** Removes the modules of rooms that are there as bundles. */
function removeModules(...rooms: readonly string[]): void {
  for (const folder of rooms) {
    for (const path of readdirSync(join(DIST, folder), { recursive: true, encoding: 'utf8' })) {
      if (path.endsWith('.js')) rmSync(join(DIST, folder, path));
    }
  }
}

/** The declarations, as the users of the entries see them. */
function typesOf(entries: readonly string[]): ts.Program {
  const options = { module: ts.ModuleKind.NodeNext, types: [], noLib: true };
  return ts.createProgram(
    entries.map(entry => join(DIST, entry)),
    options,
  );
}

/** Removes the declarations that no entry leads to: those inside of files, then whole files. */
function removeUnreachable(): void {
  const program = typesOf(ENTRIES);
  const checker = program.getTypeChecker();
  const files = program.getSourceFiles().filter(({ fileName }) => fileName.startsWith(DIST + sep));
  const needed = neededStatements(checker, files);
  for (const file of files) writeFileSync(file.fileName, withoutOthers(file, needed, checker));
  const reached = new Set(
    typesOf(ENTRIES)
      .getSourceFiles()
      .map(({ fileName }) => relative(DIST, fileName)),
  );
  for (const path of readdirSync(DIST, { recursive: true, encoding: 'utf8' })) {
    if (path.endsWith('.d.ts') && !reached.has(path)) rmSync(join(DIST, path));
  }
}

/** What is declared by a name, also if the name is that of an import. */
function declarationsOf(symbol: ts.Symbol, checker: ts.TypeChecker): readonly ts.Declaration[] {
  const target = symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol;
  return target.declarations ?? [];
}

/** The statement of a file that a node is a part of. */
function statementOf(node: ts.Node): ts.Node {
  let statement = node;
  while (!ts.isSourceFile(statement.parent)) statement = statement.parent;
  return statement;
}

/** The statements that the exports of the entries consist of, and all that these name. */
function neededStatements(checker: ts.TypeChecker, files: readonly ts.SourceFile[]): ReadonlySet<ts.Node> {
  const needed = new Set<ts.Node>();
  const need = (symbol: ts.Symbol | undefined) => {
    for (const declaration of symbol ? declarationsOf(symbol, checker) : []) {
      if (ts.isSourceFile(declaration) || !files.includes(declaration.getSourceFile())) continue;
      const statement = statementOf(declaration);
      if (needed.has(statement)) continue;
      needed.add(statement);
      needNamesIn(statement);
    }
  };
  const needNamesIn = (node: ts.Node) => {
    if (ts.isIdentifier(node)) need(checker.getSymbolAtLocation(node));
    ts.forEachChild(node, needNamesIn);
  };
  for (const file of files.filter(({ fileName }) => ENTRIES.includes(relative(DIST, fileName)))) {
    for (const symbol of checker.getExportsOfModule(checker.getSymbolAtLocation(file)!)) need(symbol);
  }
  return needed;
}

/** The text of a file with only these statements, and the imports and exports of what is left. */
function withoutOthers(file: ts.SourceFile, needed: ReadonlySet<ts.Node>, checker: ts.TypeChecker): string {
  const names = new Set<string>();
  const addNames = (node: ts.Node) => {
    if (ts.isIdentifier(node)) names.add(node.text);
    ts.forEachChild(node, addNames);
  };
  file.statements.filter(statement => needed.has(statement)).forEach(addNames);
  const isExported = ({ name }: ts.ExportSpecifier) =>
    declarationsOf(checker.getSymbolAtLocation(name)!, checker).some(each => needed.has(statementOf(each)));
  const isLeft = (each: ts.ImportSpecifier | ts.ExportSpecifier) =>
    ts.isImportSpecifier(each) ? names.has(each.name.text) : isExported(each);
  const textOf = (statement: ts.Statement): string => {
    if (!ts.isImportDeclaration(statement) && !ts.isExportDeclaration(statement))
      return needed.has(statement) ? statement.getFullText() : '';
    const bindings = ts.isImportDeclaration(statement)
      ? statement.importClause?.namedBindings
      : statement.exportClause;
    if (!bindings || ts.isNamespaceImport(bindings) || ts.isNamespaceExport(bindings))
      return statement.getFullText();
    const left = [...bindings.elements].filter(isLeft).map(each => each.getText());
    if (left.length === 0) return '';
    const before = file.text.slice(statement.getFullStart(), bindings.getStart());
    return `${before}{ ${left.join(', ')} }${file.text.slice(bindings.end, statement.end)}`;
  };
  return `${file.statements.map(textOf).join('').trim()}\n`;
}
