import { client } from './client';
import { Lobby } from './Lobby';

export const Page = () => (
  <main>
    <Lobby client={client} group_id="group" />
  </main>
);
