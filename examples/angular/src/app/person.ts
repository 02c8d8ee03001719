import { ChangeDetectionStrategy, Component, computed, input } from '@angular/core';
import type { IdentityHandle } from 'lobby-rx';

const graphemes = new Intl.Segmenter();

/** The first letters of a name, as a reader sees them: an emoji is one, whatever it consists of. */
export function initialsOf(name: string, words = 2): string {
  const letters = name.split(/\s+/).map(word => [...graphemes.segment(word)][0]?.segment ?? '');
  return letters.slice(0, words).join('').toUpperCase();
}

/** The name of a player, whether they are there, and what they are playing. */
@Component({
  selector: 'board-person',
  changeDetection: ChangeDetectionStrategy.OnPush,
  template: `
    <span class="avatar" aria-hidden="true" [style.--hue]="hue()">
      {{ initials() }}<i [attr.data-presence]="presence()"></i>
    </span>
    <span class="name" dir="auto" [title]="identity().display_name">
      {{ identity().display_name }}
      @if (activity(); as activity) {
        <small dir="auto">{{ activity }}</small>
      }
    </span>
    <span class="presence">{{ presence() }}</span>
  `,
})
export class Person {
  readonly identity = input.required<IdentityHandle>();
  readonly presence = computed(() => this.identity().presence?.status ?? 'offline');
  readonly activity = computed(() => {
    const activity = this.identity().presence?.game_activity;
    return activity && [activity.game.display_name, activity.message].filter(Boolean).join(': ');
  });
  readonly initials = computed(() => initialsOf(this.identity().display_name));
  readonly hue = computed(() => {
    let hash = 0;
    for (const letter of this.identity().identity_id) hash = (hash * 31 + letter.charCodeAt(0)) % 360;
    return hash;
  });
}
