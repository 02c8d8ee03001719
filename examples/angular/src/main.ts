import { afterEveryRender } from '@angular/core';
import { bootstrapApplication } from '@angular/platform-browser';
import { App } from './app/app';
import { appConfig } from './app/app.config';

// Marks for the performance panel of a browser: when the application is stable, and each time that
// it renders.
performance.mark('bootstrap');
bootstrapApplication(App, appConfig)
  .then(app => {
    afterEveryRender(() => performance.mark('render'), { injector: app.injector });
    return app.whenStable();
  })
  .then(() => performance.measure('stable', 'bootstrap'))
  .catch((error: unknown) => console.error(error));
