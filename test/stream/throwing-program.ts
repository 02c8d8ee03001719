import { NEVER, of } from 'rxjs';
import { watch } from 'lobby-rx';

// A subscriber that throws, and an `ack` that would save the checkpoint.
const answer = { events: ['x'], watch: { index: '1' } };
const poll = (index: string | undefined) => (index === undefined ? of(answer) : NEVER);
watch(poll, { ack: () => process.stdout.write('saved\n') as never }).subscribe(() => {
  process.stdout.write('delivered\n');
  throw new Error('mine');
});
