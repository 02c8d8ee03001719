import { ChangeDetectionStrategy, Component, inject } from '@angular/core';
import { Board } from './board';
import { SESSION } from './session';
import { SignIn } from './sign-in';

@Component({
  selector: 'board-root',
  imports: [Board, SignIn],
  changeDetection: ChangeDetectionStrategy.OnPush,
  template: `
    @if (session) {
      <board-board [session]="session" />
    } @else {
      <board-sign-in />
    }
  `,
})
export class App {
  readonly session = inject(SESSION);
}
