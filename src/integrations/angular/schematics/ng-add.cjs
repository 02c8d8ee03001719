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

exports.ngAdd = ({ project: name, url, host }) =>
  chain([
    async (tree, { logger }) => {
      const { projects } = await readWorkspace(tree);
      const project = projects.get(name);
      if (!project) throw new Error(`There is no project "${name}" in angular.json.`);
      const root = project.sourceRoot ?? 'src';
      const configFile = `${root}/app/lobby-config.ts`;
      if (!tree.exists(configFile)) tree.create(configFile, config(url));
      logger.info(`Say in ${configFile} where the service is, and what the token of a player is.`);
      const file = `${root}/test-providers.ts`;
      return chain([providesForTests(name, file), allowsHost(name, host)]);
    },
    addRootProvider(
      name,
      ({ code, external }) =>
        code`${external('provideLobbyClient', 'lobby-rx/angular')}(${external('lobbyConfig', './lobby-config')})`,
    ),
  ]);

/** Every test gets a client, since a component that injects one fails without it. */
const providesForTests =
  (name, file) =>
  (tree, { logger }) =>
    updateWorkspace(({ projects }) => {
      const test = projects.get(name).targets.get('test');
      if (!test) return;
      if (test.builder !== '@angular/build:unit-test' || test.options?.providersFile) {
        logger.info('Add provideLobbyTesting() of lobby-rx/angular/testing to the providers of your tests.');
        return;
      }
      if (!tree.exists(file)) tree.create(file, testProviders);
      test.options = { ...test.options, providersFile: file };
    });

/** A server of Angular 22 answers 400 to a host that it does not know. */
const allowsHost =
  (name, host) =>
  (_, { logger }) =>
    updateWorkspace(({ projects }) => {
      const options = projects.get(name).targets.get('build')?.options;
      if (!options?.ssr) return;
      logger.info('Set renderMode: RenderMode.Server in app.routes.server.ts. Nobody signs in to a build.');
      if (options.security?.allowedHosts?.length > 0) return;
      options.security = { ...options.security, allowedHosts: [host] };
    });
