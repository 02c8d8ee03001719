import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';

const ROOT = join(import.meta.dirname, '../..');

function options(): ts.CompilerOptions {
  const { config } = ts.readConfigFile(join(ROOT, 'tsconfig.json'), path => ts.sys.readFile(path)) as {
    config: object;
  };
  return ts.parseJsonConfigFileContent(config, ts.sys, ROOT).options;
}

/**
 * A language service for the sources and these additional files; `path` returns the path of each.
 */
export function languageService(texts: readonly string[]) {
  const path = (i: number) => join(ROOT, 'test/type', `text-${i}.ts`);
  const files = new Map(texts.map((text, i) => [path(i), text]));
  const compilerOptions = options();
  const read = (name: string) => files.get(name) ?? ts.sys.readFile(name);
  const service = ts.createLanguageService({
    getCompilationSettings: () => compilerOptions,
    getScriptFileNames: () => [...files.keys()],
    getScriptVersion: () => '1',
    getScriptSnapshot: name => {
      const text = files.get(name) ?? (ts.sys.fileExists(name) ? readFileSync(name, 'utf8') : undefined);
      return text === undefined ? undefined : ts.ScriptSnapshot.fromString(text);
    },
    getCurrentDirectory: () => ROOT,
    getDefaultLibFileName: ts.getDefaultLibFilePath,
    fileExists: name => files.has(name) || ts.sys.fileExists(name),
    readFile: read,
  });
  return { service, path };
}
