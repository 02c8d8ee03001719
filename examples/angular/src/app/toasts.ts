import { ChangeDetectionStrategy, Component } from '@angular/core';
import { injectNotifications } from 'lobby-rx/angular';

/** Notifications, in a corner: gone after a few seconds unless the player touches them. */
@Component({
  selector: 'board-toasts',
  changeDetection: ChangeDetectionStrategy.OnPush,
  template: `
    <div class="toasts" role="log" aria-live="polite" aria-label="Notifications">
      @for (toast of notifications.shown(); track toast.id) {
        <section
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
          <button class="quiet" aria-label="Dismiss" (click)="notifications.dismiss(toast.id)">✕</button>
        </section>
      }
    </div>
  `,
})
export class Toasts {
  readonly notifications = injectNotifications();
}
