import { mergeApplicationConfig } from '@angular/core';
import { bootstrapApplication, type BootstrapContext } from '@angular/platform-browser';
import { provideServerRendering, RenderMode, withRoutes } from '@angular/ssr';
import { App, config } from './app';

const routes = [{ path: '**', renderMode: RenderMode.Server }] as const;
const serverConfig = mergeApplicationConfig(config, {
  providers: [provideServerRendering(withRoutes([...routes]))],
});

export default (context: BootstrapContext) => bootstrapApplication(App, serverConfig, context);
