// Prints how often an application with zone.js looks for changes because of a batch of events.
// zone.js changes its whole process.
import 'zone.js';
import '@angular/compiler';
import { NgZone } from '@angular/core';
import { injectFeed } from 'lobby-rx/angular';
import { angularApp } from './angular-app.js';

const zone = new NgZone({});
let checks = 0;
zone.onMicrotaskEmpty.subscribe(() => checks++);
const { component, pass, emulator, identity_id } = angularApp({
  providers: [{ provide: NgZone, useValue: zone }],
});
let handled = 0;
component(() => {
  const feed = injectFeed();
  for (let n = 0; n < 10; n++) feed.on('unknown', () => handled++);
});
pass(1_000);
await Promise.resolve();
const before = checks;
for (let n = 0; n < 20; n++) emulator.publish(identity_id, { chat: n });
pass(1_000);
await new Promise(resolve => setTimeout(resolve));
console.log(JSON.stringify({ handled, checks: checks - before }));
