// What `ng add lobby-rx` changes in an application. Only Angular's CLI loads this file, and gives it
// these packages.
const { chain } = require('@angular-devkit/schematics');
const { addRootProvider, readWorkspace, updateWorkspace } = require('@schematics/angular/utility');

const config = url => `import type { LobbyClientConfig } from 'lobby-rx/angular';

/** How the service is reached. It is called in an injection context. */
export function lobbyConfig(): LobbyClientConfig {
  return {
    url: '${url}',
    // The token of the player, from your own sign-in. \`renew\` gets another one if it is rejected.
    token: { get: () => undefined, renew: () => undefined },
  };
}
`;

const testProviders = `import { provideLobbyTesting } from 'lobby-rx/angular/testing';

/** In tests, the service is an emulator in memory. */
export default [provideLobbyTesting()];
`;

exports.ngAdd =
  ({ project: name, url, host }) =>
  async tree => {
    const { projects } = await readWorkspace(tree);
    const project = projects.get(name);
    if (!project) throw new Error(`There is no project "${name}" in angular.json.`);
    const folder = project.sourceRoot ?? 'src';
    return chain([
      providesClient(name, folder, url),
      providesForTests(name, folder),
      allowsHost(name, folder, host),
    ]);
  };

/** One client of the application, which may already provide it in its own way. */
const providesClient =
  (name, folder, url) =>
  (tree, { logger }) => {
    if (fileWith('provideLobbyClient', tree, folder)) return;
    const file = `${folder}/app/lobby-config.ts`;
    if (!tree.exists(file)) tree.create(file, config(url));
    logger.info(`Say in ${file} where the service is, and what the token of a player is.`);
    return addRootProvider(
      name,
      ({ code, external }) =>
        code`${external('provideLobbyClient', 'lobby-rx/angular')}(${external('lobbyConfig', './lobby-config')})`,
    );
  };

/** Every test gets a client, since a component that injects one fails without it. */
const providesForTests =
  (name, folder) =>
  (tree, { logger }) =>
    updateWorkspace(({ projects }) => {
      const test = projects.get(name).targets.get('test');
      if (!test || fileWith('provideLobbyTesting', tree, folder)) return;
      const file = `${folder}/test-providers.ts`;
      const isTaken = test.options?.providersFile || tree.exists(file);
      if (test.builder !== '@angular/build:unit-test' || isTaken) {
        logger.info('Add provideLobbyTesting() of lobby-rx/angular/testing to the providers of your tests.');
        return;
      }
      tree.create(file, testProviders);
      test.options = { ...test.options, providersFile: file };
    });

/** A server of Angular 22 answers 400 to a host that it does not know. */
const allowsHost =
  (name, folder, host) =>
  (tree, { logger }) =>
    updateWorkspace(({ projects }) => {
      const options = projects.get(name).targets.get('build')?.options;
      if (!options?.ssr) return;
      const routes = fileWith('RenderMode.Prerender', tree, folder);
      if (routes) logger.info(`Set RenderMode.Server in ${routes}. Nobody signs in to a build.`);
      if (options.security?.allowedHosts?.length > 0) return;
      options.security = { ...options.security, allowedHosts: [host] };
    });

/** The first file of TypeScript in a folder that has this text; undefined if none has. */
function fileWith(text, tree, folder) {
  let found;
  tree.getDir(folder).visit(path => {
    if (path.endsWith('.ts') && tree.readText(path).includes(text)) found ??= path;
  });
  return found;
}
