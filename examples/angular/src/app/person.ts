import { ChangeDetectionStrategy, Component, computed, input } from '@angular/core';
import type { IdentityHandle } from 'lobby-rx';

/** The name of a player, and whether they are there. */
@Component({
  selector: 'board-person',
  changeDetection: ChangeDetectionStrategy.OnPush,
  template: `
    <span class="avatar" aria-hidden="true" [style.--hue]="hue()">
      {{ initials() }}<i [attr.data-presence]="presence()"></i>
    </span>
    <span class="name">{{ identity().display_name }}</span>
    <span class="presence">{{ presence() }}</span>
  `,
})
export class Person {
  readonly identity = input.required<IdentityHandle>();
  readonly presence = computed(() => this.identity().presence?.status ?? 'offline');
  readonly initials = computed(() =>
    this.identity()
      .display_name.split(/\s+/)
      .map(word => word[0] ?? '')
      .slice(0, 2)
      .join('')
      .toUpperCase(),
  );
  readonly hue = computed(() => {
    let hash = 0;
    for (const letter of this.identity().identity_id) hash = (hash * 31 + letter.charCodeAt(0)) % 360;
    return hash;
  });
}
