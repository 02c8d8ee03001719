import { ChangeDetectionStrategy, Component } from '@angular/core';
import { injectNotifications } from 'lobby-rx/angular';

/** Notifications, in a corner: gone after a few seconds unless the player touches them. */
@Component({
  selector: 'board-toasts',
  changeDetection: ChangeDetectionStrategy.OnPush,
  template: `
    <div class="toasts" role="log" aria-live="polite" aria-label="Notifications" tabindex="-1">
      @for (toast of notifications.shown(); track toast.id) {
        <section
          #shown
          class="toast"
          (pointerenter)="notifications.hold(toast.id, 'pointer')"
          (pointerleave)="notifications.release(toast.id, 'pointer')"
          (focusin)="notifications.hold(toast.id, 'focus')"
          (focusout)="notifications.release(toast.id, 'focus')"
        >
          <button class="open" [disabled]="!toast.canOpen" (click)="notifications.open(toast.id)">
            <strong>{{ toast.notification.title }}</strong>
            <span>{{ toast.notification.description }}</span>
          </button>
          <button class="quiet" aria-label="Dismiss" (click)="dismiss(toast.id, shown)">✕</button>
        </section>
      }
    </div>
  `,
})
export class Toasts {
  readonly notifications = injectNotifications();

  dismiss(id: number, shown: HTMLElement): void {
    const hadFocus = shown.matches(':focus-within');
    const next = shown.nextElementSibling ?? shown.previousElementSibling;
    this.notifications.dismiss(id);
    // Who dismisses by keyboard stays in the list.
    if (hadFocus) (next?.querySelector<HTMLElement>('.quiet') ?? shown.parentElement)?.focus();
  }
}
