// Writes the profiles that change to names.txt. Kill it, and start it again within five minutes: no
// change is lost.
import { appendFileSync, existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { createClient, type Checkpoint } from 'lobby-rx';

// Put your sign-in here: a user's token is valid for 15 minutes.
const signIn = () => Promise.resolve(process.env.LOBBY_RX_TOKEN!);

let token = await signIn();
const client = createClient({
  url: process.env.LOBBY_RX_URL!,
  token: {
    get: () => token,
    renew: async () => {
      token = await signIn();
      return token;
    },
  },
});
const file = 'checkpoint.json';

function load(): Checkpoint | undefined {
  return existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as Checkpoint) : undefined;
}

function save(checkpoint: Checkpoint): void {
  // Written to another file, then renamed: if the process is killed meanwhile, the old one is still
  // there.
  writeFileSync(`${file}.new`, JSON.stringify(checkpoint));
  renameSync(`${file}.new`, file);
}

const feed = client.events.createFeed({
  from: load(),
  ack: ({ events }, checkpoint) => {
    for (const event of events) {
      if (event.kind === 'identity_update')
        appendFileSync('names.txt', `${event.ts} ${event.identity.display_name}\n`);
    }
    save(checkpoint);
  },
});

feed.gap$.subscribe(({ reason }) => console.log(`events may be missing: ${reason}`));
feed.status$.subscribe(({ state, attempt }) => console.log(`${state} ${attempt}`));
// Starts the poll, which the two above only observe.
feed.all$.subscribe({
  error: (reason: unknown) => {
    console.error(reason);
    process.exitCode = 1;
  },
});
