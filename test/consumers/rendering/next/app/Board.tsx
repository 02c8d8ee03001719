'use client';
import { client } from '../client';
import { Lobby } from '../Lobby';

export function Board() {
  return <Lobby client={client} group_id="group" />;
}
