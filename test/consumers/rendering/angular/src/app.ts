import { Component, inject, REQUEST, signal, type ApplicationConfig } from '@angular/core';
import { rxResource } from '@angular/core/rxjs-interop';
import { provideClientHydration } from '@angular/platform-browser';
import { provideRouter, RouterOutlet, type Routes } from '@angular/router';
import { injectFeed, injectLobbyClient, injectRoster, provideLobbyClient } from 'lobby-rx/angular';
import { firstValueFrom } from 'rxjs';
import { sessionIn } from './session';

const GROUP = 'group';

@Component({
  selector: 'app-members',
  template: `
    <main>
      <p>{{ roster.status().state }}, {{ feed.status().state }}</p>
      @if (roster.status().state === 'live') {
        @for (member of roster.value()?.values(); track member.identity.identity_id) {
          <p>{{ member.identity.display_name }}</p>
        }
      }
    </main>
  `,
})
class Members {
  readonly roster = injectRoster(() => GROUP);
  readonly feed = injectFeed();
}

/** A request that nobody handles the error of, and one that is waited for. */
@Component({ selector: 'app-careless', template: `{{ count() }}` })
class Careless {
  readonly count = signal(0);
  readonly #client = injectLobbyClient();

  constructor() {
    const { group, events } = this.#client;
    group.getMembers({ group_id: GROUP }).subscribe(({ members }) => this.count.set(members.length));
    events.feed.all$.subscribe(() => this.count.set(0));
    void this.wait();
  }

  async wait(): Promise<void> {
    await firstValueFrom(this.#client.group.getMembers({ group_id: GROUP }));
    await firstValueFrom(this.#client.events.feed.lobbyJoin$);
  }
}

/** A page that is stable once its request has an answer. */
@Component({ selector: 'app-waiting', template: `{{ members.status() }}` })
class Waiting {
  readonly #client = injectLobbyClient();
  readonly members = rxResource({ stream: () => this.#client.group.getMembers({ group_id: GROUP }) });
}

/** A page that never is. */
@Component({ selector: 'app-endless', template: `{{ join.status() }}` })
class Endless {
  readonly #client = injectLobbyClient();
  readonly join = rxResource({ stream: () => this.#client.events.feed.lobbyJoin$ });
}

const routes: Routes = [
  { path: 'careless', component: Careless },
  { path: 'waiting', component: Waiting },
  { path: 'lazy', loadComponent: () => import('./lazy').then(({ Lazy }) => Lazy) },
  { path: 'endless', component: Endless },
  { path: '', component: Members },
];

@Component({ selector: 'app-root', imports: [RouterOutlet], template: `<router-outlet />` })
export class App {}

export const config: ApplicationConfig = {
  providers: [
    provideRouter(routes),
    provideClientHydration(),
    provideLobbyClient(() => {
      const request = inject(REQUEST, { optional: true });
      return sessionIn(request ? request.headers.get('cookie') : document.cookie);
    }),
  ],
};
