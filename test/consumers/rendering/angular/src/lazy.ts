import { Component, inject, Injector, resource } from '@angular/core';
import { Router } from '@angular/router';
import { injectLobbyClient } from 'lobby-rx/angular';
import { firstValueFrom } from 'rxjs';

/** A page that goes on with Angular after its request has had an answer. */
@Component({ selector: 'app-lazy', template: `{{ members.status() }} {{ router.url }}` })
export class Lazy {
  readonly #client = injectLobbyClient();
  readonly #injector = inject(Injector);
  readonly router = inject(Router);
  readonly members = resource({
    loader: async () => {
      await new Promise(resolve => setTimeout(resolve, 20));
      const answer = await firstValueFrom(this.#client.group.getMembers({ group_id: 'group' }));
      return [this.#injector.get(Router).url, answer.members.length];
    },
  });
}
